//! Twisted Edwards curves −x² + y² = 1 + d·x²y², d = numerator/denominator, and their points on the
//! host: the twin of curve.cuh.
//!
//! The curves are those of Suyama whose form has a = −1, so that their formulas are the cheapest
//! known (Hisil, Wong, Carter and Dawson, "Twisted Edwards curves revisited"): 3 products and 4
//! squares to double, 8 products to add. Suyama's curve for s, with u = s² − 5 and v = 4s, is −(s −
//! 5)(s + 1)(3s − 5)(s + 3) as a, up to squares, so s must make r² = (s − 5)(s + 1)(3s − 5)(s + 3).
//! With s = 5 + 480/(z − 80) that is W² = z(z − 20)(z + 64) for r = 480·W/(z − 80)², a curve of
//! positive rank: its point (36, 240) has infinite order, and sigma here is the multiple of that
//! point which is taken, any number from 1 on. Then
//!
//! x = r·v / (2(u + v)(s² + 5)), y = (u³ − v³)/(u³ + v³), d = −1 + 16u³v / ((v − u)³(3u + v)),
//!
//! and the group has a subgroup of order 12 modulo every prime. Barbulescu, Bos, Bouvier, Kleinjung
//! and Montgomery, "Finding ECM-friendly curves through a study of Galois properties", have the
//! like of these, and show that 2 divides their orders 11/3 times on average, against 10/3 for
//! Suyama's in general. No formula divides, so a curve costs no inverse.

use super::residues::Residues;

/// A point X/Z, Y/Z, with T = XY/Z where it is used.
#[derive(Clone)]
pub(super) struct Point<E> {
    pub(super) x: E,
    pub(super) y: E,
    pub(super) z: E,
    pub(super) t: E,
}

/// Of a point that is added: Y − X, Y + X, 2·d·T and 2·Z, all times the denominator.
#[derive(Clone)]
pub(super) struct Addend<E> {
    minus: E,
    plus: E,
    t: E,
    z: E,
}

/// A curve.
pub(super) struct Curve<'a, R: Residues> {
    pub(super) ring: &'a R,
    numerator: R::Element,
    denominator: R::Element,
}

impl<'a, R: Residues> Curve<'a, R> {
    /// The curve of this sigma, from 1 on, and its point; no t.
    pub(super) fn new(ring: &'a R, sigma: u64) -> (Self, Point<R::Element>) {
        let times = |k: u64, x: &R::Element| ring.mul(&ring.small(k), x);
        let mul = |a: &R::Element, b: &R::Element| ring.mul(a, b);
        let (x, y, z) = multiple_of_generator(ring, sigma);
        // As (zx : y : zz) on W² = z(z − 20)(z + 64); s = sn/sd.
        let square = ring.sqr(&z);
        let zx = mul(&times(3, &z), &ring.sub(&x, &times(132, &square)));
        let zz = times(27, &mul(&square, &z));
        let (sn, sd) = (
            ring.add(&times(5, &zx), &times(80, &zz)),
            ring.sub(&zx, &times(80, &zz)),
        );
        let (sn2, sd5) = (ring.sqr(&sn), times(5, &ring.sqr(&sd)));
        let (u, v, w) = (
            ring.sub(&sn2, &sd5),
            times(4, &mul(&sn, &sd)),
            ring.add(&sn2, &sd5),
        );
        let xn = mul(&mul(&times(240, &y), &zz), &v);
        let xd = mul(&ring.add(&u, &v), &w);
        let cube = |a: &R::Element| mul(&ring.sqr(a), a);
        let (u3, v3) = (cube(&u), cube(&v));
        let (yn, yd) = (ring.sub(&u3, &v3), ring.add(&u3, &v3));
        let denominator = mul(&cube(&ring.sub(&v, &u)), &ring.add(&times(3, &u), &v));
        let numerator = ring.sub(&mul(&times(16, &u3), &v), &denominator);
        let point = Point {
            x: mul(&xn, &yd),
            y: mul(&yn, &xd),
            z: mul(&xd, &yd),
            t: ring.zero(),
        };
        let curve = Curve {
            ring,
            numerator,
            denominator,
        };
        (curve, point)
    }

    pub(super) fn neutral(&self) -> Point<R::Element> {
        Point {
            x: self.ring.zero(),
            y: self.ring.one(),
            z: self.ring.one(),
            t: self.ring.zero(),
        }
    }

    /// Twice p; its t is found where it is asked for.
    pub(super) fn twice(&self, p: &Point<R::Element>, with_t: bool) -> Point<R::Element> {
        let ring = self.ring;
        let (a, b, c) = (ring.sqr(&p.x), ring.sqr(&p.y), ring.sqr(&p.z));
        let h = ring.add(&a, &b);
        let e = ring.sub(&ring.sqr(&ring.add(&p.x, &p.y)), &h);
        let g = ring.sub(&b, &a);
        let f = ring.sub(&ring.double(&c), &g);
        self.join(&e, &f, &g, &h, with_t)
    }

    /// p + q, or p − q where `negative`.
    pub(super) fn plus(
        &self,
        p: &Point<R::Element>,
        q: &Addend<R::Element>,
        negative: bool,
        with_t: bool,
    ) -> Point<R::Element> {
        let ring = self.ring;
        let (minus, plus) = if negative {
            (&q.plus, &q.minus)
        } else {
            (&q.minus, &q.plus)
        };
        let a = ring.mul(&ring.sub(&p.y, &p.x), minus);
        let b = ring.mul(&ring.add(&p.y, &p.x), plus);
        let (c, d) = (ring.mul(&p.t, &q.t), ring.mul(&p.z, &q.z));
        let (e, h) = (ring.sub(&b, &a), ring.add(&b, &a));
        let (low, high) = (ring.sub(&d, &c), ring.add(&d, &c));
        if negative {
            self.join(&e, &high, &low, &h, with_t)
        } else {
            self.join(&e, &low, &high, &h, with_t)
        }
    }

    fn join(
        &self,
        e: &R::Element,
        f: &R::Element,
        g: &R::Element,
        h: &R::Element,
        with_t: bool,
    ) -> Point<R::Element> {
        let ring = self.ring;
        Point {
            x: ring.mul(e, f),
            y: ring.mul(g, h),
            z: ring.mul(f, g),
            t: if with_t { ring.mul(e, h) } else { ring.zero() },
        }
    }

    /// For a p with its t.
    pub(super) fn addend(&self, p: &Point<R::Element>) -> Addend<R::Element> {
        let ring = self.ring;
        Addend {
            minus: ring.mul(&ring.sub(&p.y, &p.x), &self.denominator),
            plus: ring.mul(&ring.add(&p.y, &p.x), &self.denominator),
            t: ring.double(&ring.mul(&p.t, &self.numerator)),
            z: ring.double(&ring.mul(&p.z, &self.denominator)),
        }
    }

    /// The point p with its t, from x, y and z.
    pub(super) fn extend(&self, p: &Point<R::Element>) -> Point<R::Element> {
        let ring = self.ring;
        Point {
            x: ring.mul(&p.x, &p.z),
            y: ring.mul(&p.y, &p.z),
            z: ring.sqr(&p.z),
            t: ring.mul(&p.x, &p.y),
        }
    }

    /// k·q with its t.
    pub(super) fn multiple(&self, q: &Addend<R::Element>, k: u32) -> Point<R::Element> {
        let mut p = self.neutral();
        for bit in (0..32 - k.leading_zeros()).rev() {
            p = self.twice(&p, true);
            if k >> bit & 1 == 1 {
                p = self.plus(&p, q, false, true);
            }
        }
        p
    }
}

/// sigma·(456, 6480) on y² = (x − 132)(x − 312)(x + 444), where z = (x − 132)/9 and W = y/27; in
/// Jacobian coordinates.
fn multiple_of_generator<R: Residues>(
    ring: &R,
    sigma: u64,
) -> (R::Element, R::Element, R::Element) {
    let (gx, gy, a) = (ring.small(456), ring.small(6480), ring.small(155_952));
    let (mut x, mut y, mut z) = (gx.clone(), gy.clone(), ring.one());
    for bit in (0..sigma.ilog2()).rev() {
        let (xx, yy, zz) = (ring.sqr(&x), ring.sqr(&y), ring.sqr(&z));
        let s = ring.double(&ring.double(&ring.mul(&x, &yy)));
        let triple = ring.add(&ring.double(&xx), &xx);
        let m = ring.sub(&triple, &ring.mul(&a, &ring.sqr(&zz)));
        z = ring.double(&ring.mul(&y, &z));
        x = ring.sub(&ring.sub(&ring.sqr(&m), &s), &s);
        let eight = ring.double(&ring.double(&ring.double(&ring.sqr(&yy))));
        y = ring.sub(&ring.mul(&m, &ring.sub(&s, &x)), &eight);
        if sigma >> bit & 1 == 1 {
            let zz = ring.sqr(&z);
            let h = ring.sub(&ring.mul(&gx, &zz), &x);
            let r = ring.sub(&ring.mul(&gy, &ring.mul(&zz, &z)), &y);
            let hh = ring.sqr(&h);
            let (hhh, v) = (ring.mul(&hh, &h), ring.mul(&x, &hh));
            x = ring.sub(&ring.sub(&ring.sub(&ring.sqr(&r), &hhh), &v), &v);
            y = ring.sub(&ring.mul(&r, &ring.sub(&v, &x)), &ring.mul(&y, &hhh));
            z = ring.mul(&z, &h);
        }
    }
    (x, y, z)
}
