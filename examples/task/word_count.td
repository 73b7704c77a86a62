; The words of a real text. Each part is counted on its own; the text travels once to each rank that counts.
(let ((text (text.read "LICENSE")))
  (let ((counts (fold text.merge
                      (map (lambda (k) (text.count (text.part text k 8)))
                           (range 8)))))
    (seq (print (text.total counts) "words, the most frequent:")
         (text.top counts 5))))
