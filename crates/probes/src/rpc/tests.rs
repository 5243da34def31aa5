//! RPC messages: encoded messages decode, anything else is rejected.

use proptest::prelude::*;

use super::*;

fn be(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_be_bytes()).collect()
}

#[test]
fn a_null_call_as_the_rfc_has_it() {
    // RFC 5531, section 9: xid, CALL, rpcvers 2, prog, vers, proc 0, AUTH_NONE twice.
    let expected =
        "0000002a 00000000 00000002 40007768 00000001 00000000 00000000 00000000 00000000 00000000";
    let hex: String = call(42)
        .chunks(4)
        .map(|w| w.iter().map(|b| format!("{b:02x}")).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(hex, expected);
    let reply = answer(&call(42)).unwrap();
    assert_eq!(reply.bytes(), be(&[42, 1, 0, 0, 0, 0]));
    assert!(done(reply.bytes(), 42));
    assert!(!done(reply.bytes(), 43));
    assert!(!done(&reply.bytes()[..20], 42));
}

#[test]
fn a_server_says_what_it_cannot_do() {
    let ask = |at: usize, word: u32| {
        let mut message = call(7);
        message[4 * at..4 * at + 4].copy_from_slice(&word.to_be_bytes());
        answer(&message).map(|r| r.bytes().to_vec())
    };
    assert_eq!(ask(1, REPLY), None);
    assert_eq!(ask(2, 3), Some(be(&[7, 1, 1, 0, 2, 2])));
    assert_eq!(ask(3, 100_000), Some(be(&[7, 1, 0, 0, 0, 1])));
    assert_eq!(ask(4, 9), Some(be(&[7, 1, 0, 0, 0, 2, 1, 1])));
    assert_eq!(ask(5, 1), Some(be(&[7, 1, 0, 0, 0, 3])));
    // Credentials longer than the message.
    assert_eq!(ask(7, 8), Some(be(&[7, 1, 0, 0, 0, 4])));
    assert!(!done(&ask(5, 1).unwrap(), 7));
}

#[test]
fn credentials_are_skipped() {
    let mut message = call(7)[..24].to_vec();
    // AUTH_SYS with 5 bytes, padded to 8; no verifier.
    message.extend(be(&[1, 5, 0, 0, 0, 0]));
    assert_eq!(answer(&message).unwrap().bytes(), be(&[7, 1, 0, 0, 0, 0]));
}

/// A stream that returns its content in pieces of given lengths.
struct Pieces<'a>(&'a [u8], Vec<usize>);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.1.pop().unwrap_or(usize::MAX).max(1);
        let n = n.min(self.0.len()).min(into.len());
        into[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn a_record_of_two_fragments_is_one_message() {
    let mut bytes = be(&[2]);
    bytes.extend(b"ab");
    bytes.extend(be(&[LAST | 1]));
    bytes.extend(b"c");
    let mut records = Records::default();
    let mut stream = Pieces(&bytes, vec![]);
    assert_eq!(records.next(&mut stream).unwrap(), Some(&b"abc"[..]));
    assert_eq!(records.next(&mut stream).unwrap(), None);
}

#[test]
fn a_record_without_end_is_an_error() {
    let huge = be(&[LAST | 0x7fff_ffff]);
    assert!(Records::default().next(&mut Pieces(&huge, vec![])).is_err());
    // Endless empty fragments, none marked last.
    let empty = vec![0; 1 << 16];
    assert!(
        Records::default()
            .next(&mut Pieces(&empty, vec![]))
            .is_err()
    );
    let cut = &be(&[LAST | 8])[..];
    assert!(Records::default().next(&mut Pieces(cut, vec![])).is_err());
}

proptest! {
    #[test]
    fn records_come_out_as_they_went_in(
        messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..20),
        cuts in prop::collection::vec(1usize..60, 0..200),
    ) {
        let mut stream = Vec::new();
        for message in &messages {
            stream.extend(record(message, &mut [0; 256]).unwrap());
        }
        let mut pieces = Pieces(&stream, cuts);
        let mut records = Records::default();
        for message in &messages {
            prop_assert_eq!(records.next(&mut pieces).unwrap(), Some(&message[..]));
        }
        prop_assert_eq!(records.next(&mut pieces).unwrap(), None);
    }

    #[test]
    fn foreign_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), xid in any::<u32>()) {
        let _ = answer(&bytes);
        let _ = done(&bytes, xid);
        let mut records = Records::default();
        let mut stream = Pieces(&bytes, vec![]);
        while let Ok(Some(_)) = records.next(&mut stream) {}
    }
}
