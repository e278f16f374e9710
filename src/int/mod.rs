//! stub
use malachite_nz::integer::Integer;
/// stub
#[derive(Debug, PartialEq, Clone)]
pub struct Int(Integer);
impl Int { /// s
pub fn try_host(&self)->crate::Result<&Integer>{Ok(&self.0)} }
impl From<Integer> for Int { fn from(v:Integer)->Int{Int(v)} }
impl From<i32> for Int { fn from(v:i32)->Int{Int(v.into())} }
impl From<u128> for Int { fn from(v:u128)->Int{Int(v.into())} }
