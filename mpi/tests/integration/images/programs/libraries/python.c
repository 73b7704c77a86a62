/* SPDX-License-Identifier: Apache-2.0
 * An interpreter for each rank, which loads extension modules. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "job.h"

int main(int count, char **words) {
    begin(&count, &words);
    Py_Initialize();
    char script[1024];
    snprintf(script, sizeof script,
             "import json, math, hashlib, sqlite3, decimal, ctypes, _json\n"
             "decimal.getcontext().prec = 20 + %d\n"
             "values = [math.sqrt(i * (%d + 1)) for i in range(1000)]\n"
             "base = sqlite3.connect(':memory:')\n"
             "base.execute('create table t(n)')\n"
             "base.executemany('insert into t values(?)', [(v,) for v in values])\n"
             "total = base.execute('select sum(n) from t').fetchone()[0]\n"
             "text = json.dumps(values)\n"
             "line = '%d: %%.6f %%s %%s' %% (total, hashlib.sha256(text.encode()).hexdigest()[:8], "
             "decimal.Decimal(2).sqrt())\n",
             rank, rank, rank);
    check(PyRun_SimpleString(script) == 0, "running");
    PyObject *const line = PyObject_GetAttrString(PyImport_AddModule("__main__"), "line");
    if (line != NULL) {
        printf("%s\n", PyUnicode_AsUTF8(line));
        Py_DECREF(line);
    }
    check(Py_FinalizeEx() == 0, "ending");
    MPI_Finalize();
    return 0;
}
