//! Every loop computes what it is said to, as often as it is said to.

use super::*;

/// All that exist on this architecture.
fn all() -> impl Iterator<Item = (Op, Type, usize)> {
    Op::ALL.into_iter().flat_map(|op| {
        let types = Type::ALL.into_iter().filter(move |&ty| op.exists_for(ty));
        types.flat_map(move |ty| (1..=chains_max(ty)).map(move |chains| (op, ty, chains)))
    })
}

/// The same by the portable loop, which is written as one would on paper.
fn portably(op: Op, ty: Type, chains: usize, turns: u64) -> Chains {
    let mut other = Chains::of(op, ty, chains).unwrap();
    other.kernel = portable::kernels(op, ty).unwrap()[chains - 1];
    other.run(turns);
    other
}

#[test]
fn every_loop_gives_what_the_portable_one_does() {
    for (op, ty, chains) in all() {
        for turns in [1, 2, 7] {
            let mut ours = Chains::of(op, ty, chains).unwrap();
            ours.run(turns);
            let other = portably(op, ty, chains, turns);
            assert_eq!(
                ours.values(),
                other.values(),
                "{op:?} {ty:?} {chains} chains"
            );
        }
    }
}

/// A sum tells how often something was added.
#[test]
fn additions_are_as_many_as_counted() {
    for chains in 1..=chains_max(Type::Int64) {
        let mut sum = Chains::of(Op::Add, Type::Int64, chains).unwrap();
        let before = sum.values().to_vec();
        sum.run(5);
        let each = sum.ops_a_turn() / chains as u64 * 5;
        for (before, after) in before.iter().zip(sum.values()) {
            let added = operands(Op::Add, Type::Int64)[0].wrapping_mul(each);
            assert_eq!(*after, before.wrapping_add(added), "{chains} chains");
        }
    }
}

/// After many operations no value has become zero, infinite or subnormal, and no divisor trivial.
#[test]
fn values_stay_what_they_were() {
    for (op, ty, chains) in all().filter(|(.., chains)| *chains == 1 || *chains == 13) {
        let mut long = Chains::of(op, ty, chains).unwrap();
        long.run(100_000);
        for &bits in long.values() {
            let value = match ty {
                Type::Float => f64::from(f32::from_bits(bits as u32)),
                Type::Double => f64::from_bits(bits),
                _ => continue,
            };
            assert!((0.9..4.0).contains(&value), "{op:?} {ty:?}: {value}");
        }
        let settled = long.values().to_vec();
        if matches!(ty, Type::Float | Type::Double) {
            // Rounding goes round in a small circle and leads nowhere.
            let back = (0..64).any(|_| {
                long.run(1);
                long.values() == settled
            });
            assert!(back, "{op:?} {ty:?} wanders");
        }
        if op == Op::Div && ty == Type::Int {
            // Even number of steps: back at the small one of the two.
            assert!(settled.iter().all(|v| (37..=60).contains(v)), "{settled:?}");
        }
        if op == Op::Div && ty == Type::Int64 {
            assert!(
                settled.iter().all(|v| (8_333..=8_360).contains(v)),
                "{settled:?}"
            );
        }
    }
}

#[test]
fn what_does_not_exist_is_not_given() {
    assert!(Chains::of(Op::Bit, Type::Float, 1).is_none());
    assert!(Chains::of(Op::Mod, Type::Double, 1).is_none());
    assert!(Chains::of(Op::Add, Type::Int, 0).is_none());
    assert!(Chains::of(Op::Add, Type::Int, 17).is_none());
    assert!(Flops::of(Type::Int).is_none());
}

#[test]
fn bogomflops_stay_at_one_and_reach_every_value() {
    for ty in [Type::Float, Type::Double] {
        let mut flops = Flops::of(ty).unwrap();
        flops.run(10);
        let one = Flops::of(ty).unwrap().words()[0];
        assert!(flops.words().iter().all(|&w| w == one));
        // From 2: (1 + 2) (1.5 - 2) / 2 = -0.75.
        let (two, then) = match ty {
            Type::Float => {
                let pair = |v: f32| u64::from(v.to_bits()) << 32 | u64::from(v.to_bits());
                (pair(2.0), pair(-0.75))
            }
            _ => (2f64.to_bits(), (-0.75f64).to_bits()),
        };
        flops.words().fill(two);
        flops.run(1);
        assert!(flops.words().iter().all(|&w| w == then), "{ty:?}");
    }
}

#[test]
fn the_portable_bogomflops_are_alike() {
    for ty in [Type::Float, Type::Double] {
        let (mut ours, mut portable) = (Flops::of(ty).unwrap(), Flops::of(ty).unwrap());
        ours.words()[7] = 1;
        portable.words()[7] = 1;
        ours.run(3);
        // SAFETY: 1,000 values of the type.
        unsafe { portable::flops(ty, portable.values.as_mut_ptr(), 3) };
        assert_eq!(ours.words(), portable.words());
    }
}
