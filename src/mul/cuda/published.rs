//! The product as Liu and Tong published it: wrappers around `published.cu`.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::cuda::{Buffer, Device, Read, Unit, Update, Write, kernels};
use crate::error::{Error, Result};
use crate::limbs::cuda::{PublishedShape, published_sum_of_words};
use crate::limbs::{DeviceLimbs, Resident, limbs_for};

kernels! {
    pub(crate) static PUBLISHED = "mul_published", include_str!("../published.cu");

    fn mul_published_digits(values: Write<u64>[n], n: u64, a: Read<u64>[len], len: u64);
    fn mul_published_pass(
        values: Write<u64>[n], from: Read<u64>[n], n: u64, distance: u64, roots: Read<u64>[n / 2],
        back: u32,
    );
    fn mul_published_products(a: Update<u64>[n], b: Read<u64>[n], n: u64);
    fn mul_published_words(planes: Write<u32>[3 * count], count: u64, values: Read<u64>[n], n: u64);
}

/// The two kinds of floating-point numbers.
pub(crate) fn units() -> Vec<Unit> {
    [false, true]
        .map(|double| Unit::new(&PUBLISHED, &defines(double)))
        .to_vec()
}

fn defines(double: bool) -> [(&'static str, i64); 1] {
    [("PUBLISHED_DOUBLE", double.into())]
}

/// log2 of the longest transform.
const MOST_LOG: u32 = 26;

/// Transforms of one length on a device.
struct Fourier {
    device: Arc<Device>,
    double: bool,
    n: usize,
    roots: Arc<Buffer>,
}

impl Fourier {
    fn new(device: &Arc<Device>, double: bool, n: usize) -> Result<Fourier> {
        assert!(n.is_power_of_two() && n >= 2);
        let number = 2 * u64::from(n.ilog2()) + u64::from(double);
        let roots = device.constants("mul/published", number, || {
            let mut roots = Vec::with_capacity(n);
            for k in 0..n / 2 {
                let (im, re) = (-2.0 * PI * k as f64 / n as f64).sin_cos();
                if double {
                    roots.extend([re.to_bits(), im.to_bits()]);
                } else {
                    let [re, im] = [re as f32, im as f32].map(|x| u64::from(x.to_bits()));
                    roots.push(im << 32 | re);
                }
            }
            roots
        })?;
        Ok(Fourier {
            device: device.clone(),
            double,
            n,
            roots,
        })
    }

    fn values(&self) -> Result<Buffer> {
        self.device.alloc(self.n << u32::from(self.double))
    }

    /// The transform of `values`, or n times the transform back.
    fn transform(&self, values: Buffer, back: bool) -> Result<Buffer> {
        let kernel = (self.device).kernel(mul_published_pass, &defines(self.double))?;
        let launch = PublishedShape::DEFAULT.launch(self.n as u64 / 2);
        let (mut from, mut to) = (values, self.values()?);
        for log in 0..self.n.ilog2() {
            // SAFETY: both buffers hold n values and are apart, the table has n/2 roots.
            unsafe {
                kernel.launch(
                    launch,
                    to.write(),
                    from.read(),
                    self.n,
                    1u64 << log,
                    self.roots.read(),
                    u32::from(back),
                )?;
            }
            std::mem::swap(&mut from, &mut to);
        }
        Ok(from)
    }

    /// The transform of the digits of a natural number.
    fn of_digits(&self, a: &DeviceLimbs) -> Result<Buffer> {
        let values = self.values()?;
        let kernel = (self.device).kernel(mul_published_digits, &defines(self.double))?;
        a.check();
        let launch = PublishedShape::DEFAULT.launch(self.n as u64);
        // SAFETY: the buffer is new and holds n values; a holds the length passed.
        unsafe { kernel.launch(launch, values.write(), self.n, a.read(), a.len())? };
        self.transform(values, false)
    }
}

/// About a·b for natural numbers: rounding makes digits of it wrong.
pub(crate) fn published_product(
    a: &DeviceLimbs,
    b: &DeviceLimbs,
    double: bool,
) -> Result<Resident> {
    let device = a.buffer.device();
    let limbs = limbs_for(a.bits + b.bits);
    let digits = 8 * (a.len() + b.len());
    if digits > 1 << MOST_LOG {
        return Err(Error::Domain(format!(
            "a published product of {digits} digits: the longest has 2^{MOST_LOG}"
        )));
    }
    let fourier = Fourier::new(device, double, digits.next_power_of_two())?;
    let (x, y) = (fourier.of_digits(a)?, fourier.of_digits(b)?);
    let kernel = device.kernel(mul_published_products, &defines(double))?;
    let launch = PublishedShape::DEFAULT.launch(fourier.n as u64);
    // SAFETY: both hold n values, and x is no one else's.
    unsafe { kernel.launch(launch, x.update(), y.read(), fourier.n)? };
    let values = fourier.transform(x, true)?;
    let planes = device.alloc(3 * limbs)?;
    let kernel = device.kernel(mul_published_words, &defines(double))?;
    let count = 2 * limbs as u64;
    // SAFETY: planes is new and holds three numbers of `count` words; there are n values, and
    // count is 2 or more.
    unsafe {
        kernel.launch(
            PublishedShape::DEFAULT.launch(count),
            planes.write(),
            count,
            values.read(),
            fourier.n,
        )?;
    }
    let plane = |k: usize| (planes.skip_limbs(k * limbs), count);
    let shape = PublishedShape::DEFAULT;
    let sum = published_sum_of_words(device, limbs, plane(0), plane(1), false, shape)?;
    let first = (sum.span(), count);
    let sum = published_sum_of_words(device, limbs, first, plane(2), false, shape)?;
    // Whatever the limbs are, they are a number of that many.
    Ok(Resident::from_device(sum, 64 * limbs as u64 - 1))
}
