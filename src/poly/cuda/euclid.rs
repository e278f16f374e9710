//! Euclid's algorithm on a device: wrappers around `euclid.cu`.

use std::sync::Arc;

use super::{Field, Slice, Word, defines};
use crate::cuda::{Buffer, Handle, Kernel, Launch, Read, Update, Write, kernels};
use crate::error::Result;
use crate::poly::coefficients::{Coefficients, DeviceCoefficients};
use crate::poly::eval;
use crate::poly::gcd::{self, Step};
use crate::tuning::Tuning;

kernels! {
    pub(crate) static EUCLID = "poly_euclid", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../field.cuh"),
        include_str!("../euclid.cu")
    );
    const {
        /// Words of the leader's state, and the positions of the words that the host reads and
        /// writes.
        EUCLID_STATE: usize = 20;
        EUCLID_ACTIVE: usize = 0;
        EUCLID_SET: usize = 1;
        EUCLID_TO: usize = 4;
        EUCLID_COFACTOR: usize = 10;
        EUCLID_MOST: usize = 12;
        EUCLID_STOP: usize = 13;
        EUCLID_STEPS: usize = 15;
        EUCLID_UNIT: usize = 16;
    }

    fn poly_gcd_blocks(
        out: Write<u64>, lengths: Write<u64>, list: Read<u64>, room: u32, p: u64, square: u64,
    );
    fn poly_lead | poly_lead_noted(
        state: Update<i64>[EUCLID_STATE as u64], matrix: Write<Word>,
        remainders: Read<u64>[4 * room], room: u64,
        steps: Update<u64>, p: u64, square: u64,
    );
    fn poly_apply_1 | poly_apply_4(
        state: Read<i64>[EUCLID_STATE as u64], matrix: Read<Word>,
        remainders: Update<u64>[4 * room], room: u64,
        tiles: u32, cofactors: Update<u64>[8 * room_more], room_more: u64, tiles_more: u32, p: u64,
        square: u64,
    );
}

/// The `-D` values of `euclid.cu`.
pub(crate) fn euclid_defines(tuning: &Tuning, bits: u32) -> Vec<(&'static str, i64)> {
    let mut all = defines(tuning, bits);
    all.push(("EUCLID_LEAD", tuning.poly_lead.into()));
    all
}

/// Maximum rounds that are launched before the host reads their result.
const MOST_ROUNDS: usize = 1024;
/// From this many coefficients on, a thread that applies a matrix has four of them.
const FOUR_EACH: usize = 1 << 16;

/// Coefficients of which others may share the buffer.
#[derive(Clone)]
pub(super) struct Piece {
    buffer: Arc<Buffer>,
    start: usize,
    len: usize,
}

impl Piece {
    pub(super) fn slice(&self) -> Slice<'_> {
        Slice {
            buffer: &self.buffer,
            start: self.start,
            len: self.len,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// At most `len` coefficients from `start` on.
    pub(super) fn part(&self, start: usize, len: usize) -> Piece {
        let part = self.slice().part(start, len);
        Piece {
            buffer: self.buffer.clone(),
            start: part.start,
            len: part.len,
        }
    }
}

impl From<Buffer> for Piece {
    fn from(buffer: Buffer) -> Piece {
        let len = buffer.limbs();
        Piece {
            buffer: Arc::new(buffer),
            start: 0,
            len,
        }
    }
}

/// Two remainders, the longer one first and without leading zeros, and the matrix that made them,
/// row by row, where it was asked for. Rows are right up to a unit each.
pub(super) struct Reduced {
    pub(super) rows: [Piece; 2],
    pub(super) matrix: Option<[Piece; 4]>,
}

/// The steps of Euclid's algorithm so far, as a resultant needs them.
pub(super) struct Noted {
    /// Of each how far degrees dropped, the leading coefficient of the divisor, and the divisor
    /// over the true remainder.
    list: Vec<[u64; 3]>,
    /// The units of the two rows, the longer one first. The unit of a row is the row over the true
    /// remainder.
    pub(super) units: [u64; 2],
}

impl Noted {
    /// A division of the first row by the second, which is then the first.
    pub(super) fn division(&mut self, drop: usize, leading: u64) {
        let [first, second] = self.units;
        self.list.push([drop as u64, leading, second]);
        // The remainder has the dividend's unit.
        self.units = [second, first];
    }
}

impl Field {
    fn euclid_kernel<K: Handle>(&self, handle: K) -> Result<Kernel<K>> {
        let defines = euclid_defines(&self.tuning, self.bits);
        self.device.kernel(handle, &defines)
    }

    /// The monic gcd.
    pub(super) fn gcd(&self, a: Slice, b: Slice) -> Result<Buffer> {
        let [la, lb] = self.lengths([a, b])?;
        let (a, b) = (a.part(0, la), b.part(0, lb));
        if la.max(lb) <= self.block_len() && lb.min(la) > 0 {
            let (out, lengths) = self.gcd_blocks(&[(a, b)], self.tuning.poly_gcd_threads)?;
            let mut length = [0];
            self.device.download(&lengths, 0, &mut length)?;
            return self.copy(Slice::all(&out), length[0] as usize);
        }
        let reduced = self.reduce(self.piece(a)?, self.piece(b)?, 0, true, false, &mut None)?;
        self.monic(reduced.rows[0].slice())
    }

    /// The resultant of a and b, neither with leading zeros nor 0, a no shorter than b.
    pub(super) fn resultant(&self, a: Slice, b: Slice) -> Result<u64> {
        let mut noted = Some(Noted {
            list: Vec::new(),
            units: [1, 1],
        });
        let reduced = self.reduce(self.piece(a)?, self.piece(b)?, 0, true, false, &mut noted)?;
        let list = noted.map(|noted| noted.list).unwrap_or_default();
        if reduced.rows[0].len() > 1 {
            return Ok(0);
        }
        let units: Vec<u64> = list.iter().map(|step| step[2]).collect();
        let steps = list
            .iter()
            .zip(eval::inverses(&units, self.p))
            .map(|(step, inverse)| Step {
                drop: step[0] as usize,
                leading: self.p.mul(step[1], inverse),
            });
        let steps: Vec<Step> = steps.collect();
        Ok(gcd::resultant_of(a.len - 1, &steps, self.p))
    }

    /// The monic gcd g and s, t with s·a + t·b = g.
    pub(super) fn extended_gcd(&self, a: Slice, b: Slice) -> Result<[Buffer; 3]> {
        let [la, lb] = self.lengths([a, b])?;
        let (a, b) = (a.part(0, la), b.part(0, lb));
        let reduced = self.reduce(self.piece(a)?, self.piece(b)?, 0, true, true, &mut None)?;
        let g = reduced.rows[0].slice();
        let Some([s, t, _, _]) = &reduced.matrix else {
            unreachable!("the matrix was asked for")
        };
        let part = |x: &Piece| match g.len {
            0 => self.device.alloc(0),
            n => self.divide_by(x.slice(), g, n - 1),
        };
        Ok([self.monic(g)?, part(s)?, part(t)?])
    }

    /// g divided by its leading coefficient, which is its last.
    fn monic(&self, g: Slice) -> Result<Buffer> {
        match g.len {
            0 => self.device.alloc(0),
            n => self.divide_by(g, g, n - 1),
        }
    }

    fn piece(&self, a: Slice) -> Result<Piece> {
        self.copy(a, a.len).map(Piece::from)
    }

    /// Maximum coefficients of polynomials whose gcd one block computes.
    fn block_len(&self) -> usize {
        let fits = (self.device.info().shared_bytes_per_block / self.word_bytes()) as usize / 2 - 1;
        self.tuning.poly_gcd_block_len.min(fits)
    }

    /// Bytes of a `Word`.
    pub(super) fn word_bytes(&self) -> u32 {
        if self.bits == 64 { 8 } else { 4 }
    }

    /// The monic gcds of pairs.
    pub(super) fn gcd_many(
        &self,
        pairs: &[(DeviceCoefficients, DeviceCoefficients)],
    ) -> Result<Vec<Coefficients>> {
        let slices: Vec<_> = pairs
            .iter()
            .map(|(a, b)| (Slice::of(a), Slice::of(b)))
            .collect();
        let room = room_of(&slices);
        let fits = (self.device.info().shared_bytes_per_block / self.word_bytes()) as usize / 2 - 1;
        if room > fits.min(8 * self.tuning.poly_gcd_block_len) {
            let one = |(a, b): &(Slice, Slice)| Ok(Coefficients::from_device(self.gcd(*a, *b)?));
            return slices.iter().map(one).collect();
        }
        let (out, lengths) = self.gcd_blocks(&slices, self.tuning.poly_gcd_many_threads)?;
        let mut lens = vec![0; pairs.len()];
        self.device.download(&lengths, 0, &mut lens)?;
        // Most gcds are short: all gcds that fit in the first few coefficients are copied to the
        // host together.
        let most = lens.iter().max().copied().unwrap_or(0) as usize;
        if most <= self.tuning.inline_limbs {
            let mut all = vec![0; (pairs.len() - 1) * room + most];
            if !all.is_empty() {
                self.device.download(&out, 0, &mut all)?;
            }
            let one = |(i, n): (usize, &u64)| all[i * room..][..*n as usize].to_vec().into();
            return Ok(lens.iter().enumerate().map(one).collect());
        }
        let one = |(i, n): (usize, &u64)| {
            let g = Slice::all(&out).part(i * room, *n as usize);
            Ok(Coefficients::from_device(self.copy(g, g.len)?))
        };
        lens.iter().enumerate().map(one).collect()
    }

    /// The gcds of pairs, `room_of()` coefficients for each, and their lengths.
    fn gcd_blocks(&self, pairs: &[(Slice, Slice)], threads: u32) -> Result<(Buffer, Buffer)> {
        let room = room_of(pairs);
        let words = |x: &Slice| [x.span().ptr().address(), x.len as u64];
        let list: Vec<u64> = pairs
            .iter()
            .flat_map(|(a, b)| [words(a), words(b)])
            .flatten()
            .collect();
        let list = self.device.upload(&list)?;
        let (out, lengths) = (
            self.device.alloc(pairs.len() * room)?,
            self.device.alloc(pairs.len())?,
        );
        let kernel = self.euclid_kernel(poly_gcd_blocks)?;
        let shape = Launch {
            shared_bytes: 2 * (room as u32 + 1) * self.word_bytes(),
            ..Launch::of(pairs.len() as u32, threads)
        };
        // SAFETY: the list has four words a pair, addresses and lengths (asserted by span()), which
        // nobody writes; out and lengths have room for all pairs; shared memory as the kernel's
        // head asks.
        unsafe {
            kernel.launch(
                shape,
                out.write(),
                lengths.write(),
                list.read(),
                room as u32,
                self.p.get(),
                self.square,
            )?;
        }
        Ok((out, lengths))
    }

    /// Remainders of a and b until the second one has a degree below `stop`, by a leader that finds
    /// matrices from leading coefficients and blocks that apply them; the state stays on the
    /// device.
    pub(super) fn lehmer(
        &self,
        a: Slice,
        b: Slice,
        stop: usize,
        matrix: bool,
        noted: &mut Option<Noted>,
    ) -> Result<Reduced> {
        let device = &self.device;
        if b.len <= stop && b.len <= a.len {
            let unit = || -> Result<[Piece; 4]> {
                let constants = Piece::from(device.upload(&[1, 0, 0, 1])?);
                Ok([0, 1, 2, 3].map(|i| constants.part(i, 1)))
            };
            return Ok(Reduced {
                rows: [self.piece(a)?, self.piece(b)?],
                matrix: matrix.then(unit).transpose()?,
            });
        }
        let longest = a.len.max(b.len);
        let room = longest.max(1).next_multiple_of(2);
        // A cofactor's degree is at most that of the longer operand less that of a divisor.
        let most = longest.saturating_sub(1).saturating_sub(stop);
        let room_more = if matrix {
            (most + 1).next_multiple_of(2)
        } else {
            0
        };
        let remainders = device.alloc(4 * room)?;
        device.copy(a.buffer, a.start, &remainders, 0, a.len)?;
        device.copy(b.buffer, b.start, &remainders, room, b.len)?;
        let cofactors = device.alloc(8 * room_more)?;
        if matrix {
            for (i, c) in [1, 0, 0, 1].into_iter().enumerate() {
                device.upload_into(&cofactors, i * room_more, &[c])?;
            }
        }
        let mut state = [0u64; EUCLID_STATE];
        state[EUCLID_TO] = (a.len as u64).wrapping_sub(1);
        state[EUCLID_TO + 1] = (b.len as u64).wrapping_sub(1);
        state[EUCLID_MOST] = most as u64;
        state[EUCLID_STOP] = stop as u64;
        // Each divisor has a lower degree than the previous one, except for one per round. Each
        // round lowers the degree of one of the two polynomials.
        let mut steps = device.alloc(0)?;
        if let Some(noted) = noted {
            state[EUCLID_UNIT..EUCLID_UNIT + 2].copy_from_slice(&noted.units);
            steps = device.alloc(6 * (a.len + b.len) + 12)?;
        }
        let on_device = device.upload(&state)?;
        let lead = self.tuning.poly_lead as usize;
        let entries = device.alloc(4 * (lead + 2))?;

        let leader = self.euclid_kernel(match noted {
            None => poly_lead,
            Some(_) => poly_lead_noted,
        })?;
        let (each, name) = match longest {
            0..FOUR_EACH => (1, poly_apply_1),
            _ => (4, poly_apply_4),
        };
        let apply = self.euclid_kernel(name)?;
        let lead_shape = Launch {
            shared_bytes: 2 * (2 * lead as u32 + 1 + 2 * (lead as u32 + 3)) * self.word_bytes(),
            ..Launch::of(1, self.tuning.poly_lead_threads)
        };
        let block = self.tuning.poly_block.min(128);
        let size = (each * block) as usize;
        let (tiles, tiles_more) = (room.div_ceil(size), room_more.div_ceil(size));
        let apply_shape = Launch {
            shared_bytes: (2 * (lead as u32 + 2) * 2 + 2 * size as u32) * self.word_bytes(),
            ..Launch::of((2 * tiles + 4 * tiles_more) as u32, block)
        };
        let mut rounds = most.div_ceil((lead - 1).max(1)) + 2;
        loop {
            for _ in 0..rounds.min(MOST_ROUNDS) {
                // SAFETY: the state has its words, the matrix four entries of lead + 2 words,
                // remainders four rows of `room`, cofactors eight of `room_more` coefficients;
                // blocks and shared memory as the kernels' heads ask.
                unsafe {
                    leader.launch(
                        lead_shape,
                        on_device.update(),
                        entries.write(),
                        remainders.read(),
                        room,
                        steps.update(),
                        self.p.get(),
                        self.square,
                    )?;
                    apply.launch(
                        apply_shape,
                        on_device.read(),
                        entries.read(),
                        remainders.update(),
                        room,
                        tiles as u32,
                        cofactors.update(),
                        room_more,
                        tiles_more as u32,
                        self.p.get(),
                        self.square,
                    )?;
                }
            }
            device.download(&on_device, 0, &mut state)?;
            if state[EUCLID_ACTIVE] == 0 {
                break;
            }
            rounds = 4;
        }
        let set = state[EUCLID_SET] as usize;
        let lengths = [0, 1].map(|k| state[EUCLID_TO + k].wrapping_add(1) as usize);
        let first = usize::from(lengths[0] < lengths[1]);
        let order = [first, 1 - first];
        if let Some(noted) = noted {
            noted.units = order.map(|k| state[EUCLID_UNIT + k]);
            let mut found = vec![0; 3 * state[EUCLID_STEPS] as usize];
            assert!(found.len() <= steps.limbs());
            device.download(&steps, 0, &mut found)?;
            noted.list.extend(found.as_chunks::<3>().0);
        }
        let remainders = Arc::new(remainders);
        let rows = order.map(|k| Piece {
            buffer: remainders.clone(),
            start: (2 * set + k) * room,
            len: lengths[k],
        });
        let cofactors = Arc::new(cofactors);
        let entry = |i: usize| Piece {
            buffer: cofactors.clone(),
            start: (4 * set + 2 * order[i / 2] + i % 2) * room_more,
            len: state[EUCLID_COFACTOR + 1] as usize + 1,
        };
        Ok(Reduced {
            rows,
            matrix: matrix.then(|| [0, 1, 2, 3].map(entry)),
        })
    }
}

/// Coefficients of the longest operand.
fn room_of(pairs: &[(Slice, Slice)]) -> usize {
    let longest = pairs.iter().map(|(a, b)| a.len.max(b.len)).max();
    longest.unwrap_or(0).max(1)
}
