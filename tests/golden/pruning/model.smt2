; model.py::model
; Whole numbers are exact, and each fits 64 bits. Reals are real numbers: within rounding of a limit the doubles
; that tunepass computes with may fall on the other side of it.
(set-option :produce-models true)
(set-option :produce-unsat-cores true)
(set-logic QF_NIRA)
(declare-const filters Int)
(assert (or (= filters 16) (= filters 64) (= filters 32)))
(declare-const depth Int)
(assert (and (<= 2 depth 10) (= (mod depth 4) 2)))
(declare-const padding Int) ; 0 same, 1 valid
(assert (or (= padding 0) (= padding 1)))
(declare-const bias Bool)
(declare-const rate Real)
(assert (<= (/ 1.0 4.0) rate (/ 1.0 2.0)))
(declare-const |order[0]| Int)
(declare-const |order[1]| Int)
(declare-const |order[2]| Int)
(assert (<= 0 |order[0]| 2))
(assert (<= 0 |order[1]| 2))
(assert (<= 0 |order[2]| 2))
(assert (distinct |order[0]| |order[1]| |order[2]|))
(declare-const mod.parameter Int)
(assert (<= 1 mod.parameter 4))
; filters % depth != 1 or bias
(assert (! (or (not (= (mod filters depth) 1)) bias) :named constraint.1))
; padding == "same" or pos(order, 0) < mod
(assert (! (or (= padding 0) (< (ite (= |order[0]| 0) 0 (ite (= |order[1]| 0) 1 2)) mod.parameter)) :named constraint.2))
; rate * depth <= 4.5
(assert (! (<= (* rate (to_real depth)) (/ 9.0 2.0)) :named constraint.3))
; weights <= 9000
(assert (! (<= (+ (* (* depth filters) filters) (* filters (ite bias 1 0))) 9000) :named limit.1))
(check-sat)
(get-value (filters depth padding bias rate |order[0]| |order[1]| |order[2]| mod.parameter))
