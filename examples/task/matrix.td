; The product of two matrices of 3 by 3 blocks: nine blocks at once, each a sum of three products in turn.
(define (a i k) (matrix.random 40 i k 1))
(define (b k j) (matrix.random 40 k j 2))
(define (product i j k)
  (if (= k 0)
      (matrix.zero 40)
      (matrix.multiply-add (product i j (- k 1)) (a i (- k 1)) (b (- k 1) j))))
(fold + (map (lambda (n) (matrix.sum (product (div n 3) (mod n 3) 3))) (range 9)))
