//! Floating-point literals, turned into the bits of their own type.
//!
//! `0x` is followed by the bits of a *double*, also for a `float`. The other
//! formats have a letter: `0xK` x86_fp80, `0xL` fp128, `0xM` ppc_fp128, `0xH`
//! half, `0xR` bfloat. The 128-bit ones are printed low word first. Decimal
//! literals are exact by the rules of the language.

use super::reader::{Reader, Result};
use super::{Constant, Type};

impl Reader<'_> {
    pub fn float(&self, text: &str, ty: &Type) -> Result<Constant> {
        match float_bits(text, ty) {
            Some(bits) => Ok(Constant::Float(bits)),
            None => self.error(format!("`{text}` is no constant of its type")),
        }
    }
}

fn float_bits(text: &str, ty: &Type) -> Option<u128> {
    let Some(hex) = text.strip_prefix("0x") else {
        let value: f64 = text.parse().ok()?;
        return narrowed(value.to_bits(), ty);
    };
    match (hex.as_bytes().first()?, ty) {
        (b'K', Type::X86Fp80) => parse_hex(&hex[1..], 20),
        (b'L', Type::Fp128) | (b'M', Type::PpcFp128) => {
            let (low, high) = hex[1..].split_at_checked(16)?;
            Some(parse_hex(high, 16)? << 64 | parse_hex(low, 16)?)
        }
        (b'H', Type::Half) | (b'R', Type::BFloat) => parse_hex(&hex[1..], 4),
        (b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F', _) => {
            let bits = parse_hex(hex, 16)?;
            narrowed(u64::try_from(bits).ok()?, ty)
        }
        _ => None,
    }
}

fn parse_hex(digits: &str, most: usize) -> Option<u128> {
    let valid = !digits.is_empty() && digits.len() <= most;
    valid.then(|| u128::from_str_radix(digits, 16).ok()).flatten()
}

/// The bits of a double, as bits of `ty`. Done on the bits for NaNs, whose
/// payload a conversion of values need not keep.
fn narrowed(double: u64, ty: &Type) -> Option<u128> {
    match ty {
        Type::Double => Some(u128::from(double)),
        Type::Float => {
            let value = f64::from_bits(double);
            let single = if value.is_nan() {
                let sign = (double >> 63) as u32;
                let payload = (double >> 29) as u32 & 0x007f_ffff;
                sign << 31 | 0x7f80_0000 | payload
            } else {
                (value as f32).to_bits()
            };
            Some(u128::from(single))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        assert_eq!(float_bits("1.5", &Type::Double), Some(u128::from(1.5f64.to_bits())));
        assert_eq!(float_bits("-2.500000e-01", &Type::Float), Some(u128::from((-0.25f32).to_bits())));
        let third = u128::from((1.0f32 / 3.0).to_bits());
        assert_eq!(float_bits("0x3FD5555560000000", &Type::Float), Some(third));
        assert_eq!(float_bits("0x7FF8000000000000", &Type::Float), Some(0x7fc0_0000));
        assert_eq!(float_bits("0xK3FFF8000000000000000", &Type::X86Fp80), Some(0x3fff_8000_0000_0000_0000));
        assert_eq!(float_bits("0xL00000000000000003FFF000000000000", &Type::Fp128), Some(0x3fff_0000_0000_0000 << 64));
        assert_eq!(float_bits("0xH3C00", &Type::Half), Some(0x3c00));
        assert_eq!(float_bits("0xH3C00", &Type::Double), None);
    }
}
