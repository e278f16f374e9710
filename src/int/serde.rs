//! Serialisation.
//!
//! Text formats get a string, `"-0x1f"`: hexadecimal, because it is linear in the size where
//! decimal is not. They accept every string that `FromStr` does, and plain integers. Binary formats
//! get a pair: whether it is negative, and the magnitude's bytes, least significant first.

use std::fmt;

use ::serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use ::serde::ser::{Error as _, Serialize, Serializer};

use super::Int;
use super::bytes::le_limbs;

impl Serialize for Int {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.try_host().map_err(S::Error::custom)?;
        if serializer.is_human_readable() {
            serializer.collect_str(&format_args!("{self:#x}"))
        } else {
            (*value < 0, Bytes(self.to_le_bytes())).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Int {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Int, D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_any(TextVisitor);
        }
        let (negative, Bytes(bytes)) = Deserialize::deserialize(deserializer)?;
        Ok(Int::from_sign_limbs(negative, le_limbs(&bytes, 0)))
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Int;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer, or a string that holds one")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Int, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Int, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Int, E> {
        Ok(value.into())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Int, E> {
        Ok(value.into())
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Int, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Int, E> {
        // How a text format gives an integer beyond its own range: its digits are lost already.
        Err(E::invalid_value(Unexpected::Float(value), &self))
    }
}

/// A byte string, which serde would otherwise take for a list of numbers.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        deserializer.deserialize_byte_buf(BytesVisitor)
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of an integer")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes(bytes.to_vec()))
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
        Ok(Bytes(bytes))
    }
}
