// SPDX-License-Identifier: Apache-2.0
// The library registers classes in tables of the process.
#include "job.h"

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/base_object.hpp>
#include <boost/serialization/export.hpp>
#include <boost/serialization/unique_ptr.hpp>
#include <boost/serialization/vector.hpp>
#include <memory>
#include <sstream>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual long area() const = 0;
    template <class Archive> void serialize(Archive &, unsigned) {}
};

struct square : shape {
    long side = 0;
    long area() const override { return side * side; }
    template <class Archive> void serialize(Archive &archive, unsigned) {
        archive &boost::serialization::base_object<shape>(*this);
        archive &side;
    }
};
BOOST_SERIALIZATION_ASSUME_ABSTRACT(shape)
BOOST_CLASS_EXPORT(square)

int main(int count, char **words) {
    begin(&count, &words);
    long sum = 0;
    for (int round = 0; round != 50; ++round) {
        std::vector<std::unique_ptr<shape>> shapes;
        for (int i = 0; i != 10; ++i) {
            auto made = std::make_unique<square>();
            made->side = i * (rank + 1);
            shapes.push_back(std::move(made));
        }
        std::stringstream text;
        boost::archive::text_oarchive(text) << shapes;
        std::vector<std::unique_ptr<shape>> back;
        boost::archive::text_iarchive(text) >> back;
        for (const auto &each : back) {
            sum += each->area();
        }
    }
    printf("%d: %ld\n", rank, sum);
    MPI_Finalize();
}
