; LU factorisation of a matrix of 6 by 6 blocks. A block is an expression of those that it depends on, and every
; variable of the matrix is assigned once: a block is computed as soon as what it reads has been.
(define (block cells i j) (read (nth cells (+ (* i 6) j))))

; a[i][j] after the first k steps of elimination
(define (reduced cells i j k)
  (if (= k 0)
      (matrix.random 32 i j 1)
      (matrix.multiply-subtract (reduced cells i j (- k 1))
                                (block cells i (- k 1))
                                (block cells (- k 1) j))))

(define (final cells i j)
  (cond ((= i j) (matrix.factor (reduced cells i j i)))
        ((< i j) (matrix.solve-left (block cells i i) (reduced cells i j i)))
        (else (matrix.solve-right (block cells j j) (reduced cells i j j)))))

(define (cell n) (let (fresh) fresh))

(let ((cells (map cell (range 36))))
  (seq (par-for n 0 36
         (assign (nth cells n) (final cells (div n 6) (mod n 6))))
       (fold + (map (lambda (n) (matrix.sum (read (nth cells n)))) (range 36)))))
