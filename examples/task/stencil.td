; Heat in a ring of 8 parts of 100 points, 60 steps. Parts of the next step are written as soon as their neighbours of
; this one are there, so fast parts run ahead of slow ones by what the dependences allow; no step waits for all.
(define (sweep next now)
  (for i 0 8
    (update (nth next i) (lambda (old part left right) (heat.step part left right))
            (nth now i) (nth now (mod (+ i 7) 8)) (nth now (mod (+ i 1) 8)))))

(let ((even (map (lambda (i) (block (heat.start 100 (* i 100)))) (range 8)))
      (odd (map (lambda (i) (block ())) (range 8))))
  (seq
    (for step 0 30
      (sweep odd even)
      (sweep even odd))
    (fold + (map (lambda (part) (heat.checksum (read part))) even))))
