; The sum of the squares of 1 to 1000, in parts of whatever size the tiles take.
(define (square x) (* x x))
(fold + (map square (range 1 1001)))
