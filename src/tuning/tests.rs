use super::*;

#[test]
fn every_shipped_value_is_one_it_may_have() {
    assert_eq!(
        Tuning::DEFAULT.value("linear_block"),
        Some(u64::from(Tuning::DEFAULT.linear_block))
    );
    for parameter in Tuning::PARAMETERS {
        let Parameter { name, range, .. } = parameter;
        for (preset, value) in [
            (Tuning::DEFAULT, parameter.default),
            (Tuning::MINIMAL, parameter.minimal),
        ] {
            assert_eq!(preset.value(name), Some(value), "{name}");
            assert!(range.contains(value), "{name} = {value}: {range}");
            assert_eq!(
                Tuning::DEFAULT.with(&[(name, value)]).unwrap().value(name),
                Some(value)
            );
        }
        assert!(!parameter.meaning.trim().is_empty());
        let Provenance {
            limit,
            device,
            commit,
            date,
        } = parameter.provenance;
        assert!(device.is_some() == commit.is_some() && commit.is_some() == date.is_some());
        // Every value is measured or a limit.
        assert!(limit != device.is_some(), "{name}");
    }
}

#[test]
fn values_out_of_range_are_refused() {
    let refused = |values: &[(&str, u64)]| Tuning::DEFAULT.with(values).unwrap_err().to_string();
    assert_eq!(
        refused(&[("linear_block", 100)]),
        "linear_block cannot be 100: it must be a multiple of 32 from 32 to 1024"
    );
    assert_eq!(
        refused(&[("ntt_block", 96)]),
        "ntt_block cannot be 96: it must be a power of two from 64 to 1024"
    );
    assert_eq!(
        refused(&[("gcd_leaf_limbs", 0)]),
        "gcd_leaf_limbs cannot be 0: it must be at least 1"
    );
    assert_eq!(
        refused(&[("bloc", 1)]),
        "no parameter of the tuning is called 'bloc'"
    );
}

#[test]
fn texts() {
    assert_eq!(Tuning::parse("minimal").unwrap(), Tuning::MINIMAL);
    let changed = Tuning::parse("default, linear_block=64,gcd_leaf_limbs=9").unwrap();
    assert_eq!((changed.linear_block, changed.gcd_leaf_limbs), (64, 9));
    assert_eq!(changed.linear_items, Tuning::DEFAULT.linear_items);
    for bad in [
        "",
        "none",
        "default,linear_block",
        "default,linear_block=x",
        "default,a=1",
    ] {
        assert!(Tuning::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn ranges_hold_from_their_size_on() {
    let large = Tuning {
        linear_block: 64,
        ..Tuning::DEFAULT
    };
    let process = Process {
        tuning: Tuning::MINIMAL,
        ranges: vec![("sum".into(), vec![(10, Tuning::DEFAULT), (100, large)])],
    };
    for (kernel, size, expected) in [
        ("sum", 9, Tuning::MINIMAL),
        ("sum", 10, Tuning::DEFAULT),
        ("sum", 99, Tuning::DEFAULT),
        ("sum", 100, large),
        ("sum", u64::MAX, large),
        ("other", 100, Tuning::MINIMAL),
    ] {
        assert_eq!(*process.at(kernel, size), expected, "{kernel} {size}");
    }
}

#[test]
fn scopes_are_kept_once_and_shared() {
    let tuning = Tuning {
        linear_block: 96,
        ..Tuning::DEFAULT
    };
    let address = || std::ptr::from_ref(Tuning::in_force());
    assert_eq!(tuning.scope(address), tuning.scope(address));
    tuning.scope(|| {
        assert_eq!(*Tuning::at("any", 5), tuning);
        let shared = Scoped::current();
        std::thread::scope(|scope| {
            scope.spawn(move || shared.enter(|| assert_eq!(*Tuning::in_force(), tuning)));
        });
    });
}
