//! Casts between integers, floats and pointers. Every cast has a result: a float that is too large for an integer type
//! leaves the low bits of its integer part (of at most 128 bits), no number leaves zero.

use super::floats::{read, write};
use super::integers::{signed, truncate};
use crate::ir::{Cast, DataModel, Ty};

pub fn convert(cast: Cast, model: DataModel, from: Ty, to: Ty, bits: u128) -> u128 {
    let width = from.bits(model);
    let converted = match cast {
        Cast::ZeroExtend | Cast::Truncate | Cast::Reinterpret | Cast::PtrToInt | Cast::IntToPtr => bits,
        Cast::SignExtend => signed(width, bits) as u128,
        Cast::FloatToSigned => read(from, bits) as i128 as u128,
        Cast::FloatToUnsigned => read(from, bits) as u128,
        // Rounded once: not by way of a double.
        Cast::SignedToFloat if to == Ty::F32 => u128::from((signed(width, bits) as f32).to_bits()),
        Cast::UnsignedToFloat if to == Ty::F32 => u128::from((bits as f32).to_bits()),
        Cast::SignedToFloat => write(to, signed(width, bits) as f64),
        Cast::UnsignedToFloat => write(to, bits as f64),
        // `long double` is a double here: nothing changes, and a signalling NaN stays one, as in formulas.
        Cast::FloatToFloat if from == to => bits,
        Cast::FloatToFloat => write(to, read(from, bits)),
    };
    truncate(to.bits(model), converted)
}

/// Between integers of these widths, pointers among them. None: the cast computes with floats.
pub fn integer(cast: Cast, from: u32, to: u32, bits: u128) -> Option<u128> {
    match cast {
        Cast::ZeroExtend | Cast::Truncate | Cast::Reinterpret | Cast::PtrToInt | Cast::IntToPtr => {
            Some(truncate(to, bits))
        }
        Cast::SignExtend => Some(truncate(to, signed(from, bits) as u128)),
        Cast::FloatToSigned
        | Cast::FloatToUnsigned
        | Cast::SignedToFloat
        | Cast::UnsignedToFloat
        | Cast::FloatToFloat => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_cut_to_integers() {
        let half = u128::from((-1.5f32).to_bits());
        assert_eq!(convert(Cast::FloatToSigned, DataModel::Lp64, Ty::F32, Ty::Int(32), half), 0xffff_ffff);
    }
}
