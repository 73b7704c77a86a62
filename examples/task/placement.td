; Where things run. Each tile counts its own calls: what a kernel keeps stays on its tile.
(seq (par-for i 0 12 (sys.count[(mod i (tiles))]))
     (let ((last (- (tiles) 1)))
       (list (= (sys.tile[last]) last)
             (= (sys.tile[0]@0) 0)
             (run '(= (tile) last) last))))
