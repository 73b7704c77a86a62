; The Fibonacci numbers, by their definition: both calls are evaluated at once.
(define (fib n)
  (if (< n 2)
      n
      (+ (fib (- n 1)) (fib (- n 2)))))
(fib 20)
