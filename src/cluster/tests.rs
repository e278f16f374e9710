//! A process alone: ranks are tested by the command line's `ranks` test, under `mpirun`.

use super::*;

#[test]
fn alone() {
    let cluster = Cluster::alone();
    assert_eq!((cluster.rank(), cluster.size()), (0, 1));
    let mut bytes = vec![1, 2, 3];
    cluster.broadcast(0, &mut bytes);
    assert_eq!(bytes, [1, 2, 3]);
    let mut words = [7, 8];
    cluster.broadcast_words(0, &mut words);
    assert_eq!(words, [7, 8]);
    assert_eq!(cluster.gather(0, &bytes), Some(vec![bytes.clone()]));
    assert_eq!(cluster.all_gather(&bytes), [bytes]);
    let all = [cluster.all_min(5), cluster.all_or(6), cluster.all_sum(7)];
    assert_eq!(all, [5, 6, 7]);
    cluster.barrier();
    assert!(cluster.agree("the weather", "rain").is_ok());
    assert!(cluster.share_error::<()>(Err(Error::DivisionByZero)) == Err(Error::DivisionByZero));
}

#[test]
fn a_queue_keeps_the_order_and_stops_at_errors() {
    let cluster = Cluster::alone();
    let items = || (0..10u8).map(|i| Ok(vec![i]));
    let mut seen = Vec::new();
    let doubled = |item: &[u8]| Ok(vec![2 * item[0]]);
    let done = cluster.queue(items(), doubled, |index, result| {
        seen.push((index, result[0]));
        Ok(())
    });
    assert_eq!(done, Ok(()));
    assert_eq!(seen, (0..10).map(|i| (i, 2 * i as u8)).collect::<Vec<_>>());

    let mut count = 0;
    let failing = |item: &[u8]| match item[0] {
        4 => Err(Error::DivisionByZero),
        _ => Ok(Vec::new()),
    };
    let done = cluster.queue(items(), failing, |_, _| {
        count += 1;
        Ok(())
    });
    assert_eq!((done, count), (Err(Error::DivisionByZero), 4));
    let stopped = cluster.queue(items(), doubled, |_, _| Err(Error::Cancelled));
    assert_eq!(stopped, Err(Error::Cancelled));
}
