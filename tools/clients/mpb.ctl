; SPDX-License-Identifier: BSD-3-Clause
; Bands of spheres in a diamond lattice, converged so far that what libraries differ by is rounding.
(set! deterministic? true)
(set! tolerance 1e-12)
(set! num-bands 4)
(set! k-points (list (vector3 0 0.5 0.5) (vector3 0.3 0.1 0)))
(set! geometry-lattice (make lattice
  (basis-size (sqrt 0.5) (sqrt 0.5) (sqrt 0.5))
  (basis1 0 1 1) (basis2 1 0 1) (basis3 1 1 0)))
(define glass (make dielectric (epsilon 11.56)))
(set! geometry (list
  (make sphere (center 0.125 0.125 0.125) (radius 0.25) (material glass))
  (make sphere (center -0.125 -0.125 -0.125) (radius 0.25) (material glass))))
(set! resolution 20)
(run)
