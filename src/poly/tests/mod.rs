//! Tests of polynomials.
