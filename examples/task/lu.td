; LU factorisation of a matrix of 6 by 6 blocks, as a book writes it. An update says which block it changes, how, and
; which it reads. It returns at once; what it does is done when the updates before it have left what it reads. Those
; that others wait for longest have priority.
(define (at a i j) (nth a (+ (* i 6) j)))
(define (below a lu) (matrix.solve-right lu a))
(define (beside a lu) (matrix.solve-left lu a))

(let ((a (map (lambda (n) (block (matrix.random 32 (div n 6) (mod n 6) 1))) (range 36))))
  (seq
    (for k 0 6
      (update^2 (at a k k) matrix.factor)
      (for i (+ k 1) 6
        (update^1 (at a k i) beside (at a k k))
        (update^1 (at a i k) below (at a k k)))
      (for i (+ k 1) 6
        (for j (+ k 1) 6
          (update (at a i j) matrix.multiply-subtract (at a i k) (at a k j)))))
    (fold + (map (lambda (each) (matrix.sum (read each))) a))))
