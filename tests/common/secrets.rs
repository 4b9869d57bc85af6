//! What nobody may see, in every form in which it could come to light, and everything in which it could.

use std::collections::BTreeSet;
use std::path::Path;

use pkcs8::der::Decode;
use pkcs8::der::asn1::OctetStringRef;
use zeitnot::envelope::PrivateKey;
use zeroize::Zeroizing;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_ADDRESSES: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// One form of a secret, by its name.
type Form = (&'static str, Vec<u8>);

/// A secret.
#[derive(Clone)]
pub(crate) struct Secret {
    pub(crate) name: String,
    forms: Vec<Form>,
}

impl Secret {
    pub(crate) fn text(name: &str, text: &str) -> Secret {
        let mut secret = Secret::bytes(name, text.as_bytes());
        let units: Vec<u16> = text.encode_utf16().collect();
        secret.forms.push(("UTF-16LE", units.iter().flat_map(|unit| unit.to_le_bytes()).collect()));
        secret.forms.push(("UTF-16BE", units.iter().flat_map(|unit| unit.to_be_bytes()).collect()));
        secret
    }

    pub(crate) fn bytes(name: &str, bytes: &[u8]) -> Secret {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
        let mut forms = vec![
            ("itself", bytes.to_vec()),
            ("reversed", bytes.iter().rev().copied().collect()),
            ("hex", hex.clone().into_bytes()),
            ("HEX", hex.to_uppercase().into_bytes()),
            ("a list", list.join(", ").into_bytes()),
            ("a short list", list.join(",").into_bytes()),
        ];
        let escaped = bytes.escape_ascii().to_string().into_bytes();
        forms.extend(Some(("escaped", escaped)).filter(|(_, escaped)| escaped != bytes));
        for alphabet in [STANDARD, FOR_ADDRESSES] {
            forms.extend((0..3).map(|before| ("base64", inside_base64(bytes, before, alphabet))));
        }
        Secret { name: name.to_string(), forms }
    }

    pub(crate) fn forms(&self) -> &[Form] {
        &self.forms
    }
}

/// What stands in base64 wherever these bytes come after so many others, and whatever comes after them.
fn inside_base64(bytes: &[u8], before: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let all = [&[0; 3][..before], bytes].concat();
    let digits = base64(&all, alphabet);
    digits[(8 * before).div_ceil(6)..8 * all.len() / 6].to_vec()
}

/// Base64 without padding.
pub(crate) fn base64(bytes: &[u8], alphabet: &[u8; 64]) -> Vec<u8> {
    let bit = |n: usize| bytes.get(n / 8).map_or(0, |byte| byte >> (7 - n % 8) & 1);
    let digit = |i: usize| alphabet[(6 * i..6 * i + 6).fold(0, |value, n| 2 * value + usize::from(bit(n)))];
    (0..(8 * bytes.len()).div_ceil(6)).map(digit).collect()
}

/// As a browser writes it, with padding.
pub(crate) fn padded_base64(bytes: &[u8]) -> Vec<u8> {
    let mut digits = base64(bytes, STANDARD);
    digits.resize(digits.len().next_multiple_of(4), b'=');
    digits
}

/// Everything that was written or said, each with where it was.
#[derive(Default)]
pub(crate) struct Heard(Vec<(String, Vec<u8>)>);

impl Heard {
    pub(crate) fn add(&mut self, from: impl Into<String>, said: impl Into<Vec<u8>>) {
        self.0.push((from.into(), said.into()));
    }

    /// Everything under a directory, names of files too. The directory `safe` is not looked into.
    pub(crate) fn add_files(&mut self, dir: &Path) {
        for path in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.ends_with("safe") {
                continue;
            }
            if path.is_dir() {
                self.add_files(&path);
            } else {
                self.add(path.display().to_string(), std::fs::read(&path).unwrap());
            }
            self.add("the name of a file", path.file_name().unwrap().as_encoded_bytes());
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(|(_, said)| said.len()).sum()
    }

    pub(crate) fn said(&self, from: &str) -> impl Iterator<Item = &[u8]> {
        self.0.iter().filter(move |(name, _)| name.starts_with(from)).map(|(_, said)| &**said)
    }

    /// Which secrets are found, in which form and where.
    pub(crate) fn find(&self, secrets: &[Secret]) -> BTreeSet<(String, &'static str, String)> {
        // By the first two bytes, since there is much to look through.
        let mut begins: Vec<Vec<(&Secret, &Form)>> = vec![Vec::new(); 1 << 16];
        for secret in secrets {
            for form in &secret.forms {
                begins[usize::from(u16::from_be_bytes([form.1[0], form.1[1]]))].push((secret, form));
            }
        }
        let mut found = BTreeSet::new();
        for (from, said) in &self.0 {
            for (at, two) in said.windows(2).enumerate() {
                for (secret, (form, bytes)) in &begins[usize::from(u16::from_be_bytes([two[0], two[1]]))] {
                    if said[at..].starts_with(bytes) {
                        found.insert((secret.name.clone(), *form, from.clone()));
                    }
                }
            }
        }
        found
    }
}

/// The private key in the file that the command line made.
pub(crate) fn private_key(pem: &str, passphrase: &str) -> PrivateKey {
    let (_, document) = pkcs8::SecretDocument::from_pem(pem).unwrap();
    let encrypted = pkcs8::EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).unwrap();
    let decrypted = encrypted.decrypt(passphrase.as_bytes()).unwrap();
    let info = pkcs8::PrivateKeyInfoRef::try_from(decrypted.as_bytes()).unwrap();
    let inner = <&OctetStringRef>::from_der(info.private_key.as_bytes()).unwrap();
    PrivateKey::new(Zeroizing::new(inner.as_bytes().try_into().unwrap()))
}

/// The search finds what it looks for, in every form, in a file and in what was said.
#[test]
fn the_search_can_find() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("data/store")).unwrap();
    let nonce = || *blake3::hash(b"nonce").as_bytes();
    let secrets = [Secret::text("a text", "Zaunkönig ♞"), Secret::bytes("a nonce", &nonce())];
    for secret in &secrets {
        let forms = secret.forms();
        assert!(forms.iter().all(|(_, bytes)| bytes.len() >= 11));
        for (form, bytes) in forms {
            std::fs::write(dir.path().join("data/store/db"), [&[0; 1_000], &bytes[..], b"\0"].concat()).unwrap();
            let mut heard = Heard::default();
            heard.add_files(dir.path());
            assert_eq!(heard.find(&secrets).into_iter().map(|(name, form, _)| (name, form)).collect::<Vec<_>>(), [(secret.name.clone(), *form)]);
        }
    }
    // As any encoder writes it, whatever stands before and after.
    for before in 0..6 {
        let mut heard = Heard::default();
        heard.add("base64", padded_base64(&[&b"before"[..before], "Zaunkönig ♞".as_bytes(), b"after"].concat()));
        assert_eq!(heard.find(&secrets).len(), 1, "{before}");
    }
    let mut heard = Heard::default();
    heard.add("a list", format!("{:?}", nonce()));
    assert_eq!(heard.find(&secrets).len(), 1);
}
