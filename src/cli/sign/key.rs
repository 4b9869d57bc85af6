//! The file of the key by which a venue signs: ed25519 as PKCS#8, which only the daemon's user may read.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::pem::LineEnding;
use pkcs8::der::{Decode, Encode};
use pkcs8::spki::AlgorithmIdentifierRef;
use pkcs8::{ObjectIdentifier, PrivateKeyInfoRef, SecretDocument};
use zeroize::Zeroizing;

use super::super::{Stop, exit};
use crate::http::tls;
use crate::signature::{SigningKey, VerifyingKey};

/// Ed25519 (RFC 8410).
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
/// What the file says it is.
const LABEL: &str = "PRIVATE KEY";
/// Largest file that is read as a key.
const LARGEST: u64 = 64 * 1024;

/// Where a venue keeps it.
pub(in crate::cli) fn path(data: &Path) -> PathBuf {
    data.join("sign.key")
}

/// What whoever sets a venue up is told of its key.
pub(in crate::cli) fn told(public: &VerifyingKey, path: &Path) -> String {
    format!(
        "the venue signs its log by the key in {}. Write down where nobody can change it:\n\n    {public}\n\nzeitnot verify --key checks by it",
        path.display()
    )
}

fn unusable(path: &Path, why: impl std::fmt::Display) -> Stop {
    Stop::new(exit::USAGE, format!("{}: {why}", path.display()))
}

/// Makes a key and writes the file, which must not be there.
pub(in crate::cli) fn make(path: &Path) -> Result<SigningKey, Stop> {
    let seed = Zeroizing::new(rand::random::<[u8; 32]>());
    let key = SigningKey::new(&seed).ok_or_else(|| unusable(path, "no key could be made"))?;
    let pem = pem(&seed).map_err(|e| unusable(path, e))?;
    tls::secret(path, &pem).map_err(Stop::unusable)?;
    Ok(key)
}

/// Opens the file.
pub(in crate::cli) fn open(path: &Path) -> Result<SigningKey, Stop> {
    let mode = std::fs::metadata(path).map_err(|e| unusable(path, e))?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(unusable(path, "others may read the key that signs: chmod 600 it, and think of who has read it"));
    }
    read(&small_file(path)?).ok_or_else(|| unusable(path, "no private key of the kind ed25519 in a PKCS#8 file: put the venue's own back, or move this away, and `zeitnot venue sign-key` makes another, by which the venue signs from then on"))
}

/// A key to check by, as somebody kept it: its 64 digits, or a file with them, or the file of the private half.
pub(in crate::cli) fn kept(text: &str) -> Result<VerifyingKey, Stop> {
    if let Ok(key) = text.parse() {
        return Ok(key);
    }
    let path = Path::new(text);
    let held = small_file(path)?;
    let digits = held.split_whitespace().next().and_then(|word| word.parse().ok());
    let key = digits.or_else(|| read(&held).map(|key| key.public()));
    key.ok_or_else(|| unusable(path, "neither a key's 64 hexadecimal digits nor a private key of the kind ed25519"))
}

fn small_file(path: &Path) -> Result<Zeroizing<String>, Stop> {
    let known = std::fs::metadata(path).map_err(|e| unusable(path, e))?;
    if !known.is_file() || known.len() > LARGEST {
        return Err(unusable(path, "no regular file, or larger than any that is meant"));
    }
    let mut text = Zeroizing::new(String::new());
    std::fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text)).map_err(|e| unusable(path, e))?;
    Ok(text)
}

fn pem(seed: &[u8; 32]) -> Result<Zeroizing<String>, pkcs8::Error> {
    let inner = Zeroizing::new(OctetStringRef::new(seed)?.to_der()?);
    let info = PrivateKeyInfoRef::new(AlgorithmIdentifierRef { oid: ED25519, parameters: None }, OctetStringRef::new(&inner)?);
    Ok(SecretDocument::encode_msg(&info)?.to_pem(LABEL, LineEnding::LF)?)
}

fn read(pem: &str) -> Option<SigningKey> {
    let (_, document) = SecretDocument::from_pem(pem).ok().filter(|(label, _)| *label == LABEL)?;
    let info = PrivateKeyInfoRef::try_from(document.as_bytes()).ok().filter(|info| info.algorithm.oid == ED25519)?;
    let inner = <&OctetStringRef>::from_der(info.private_key.as_bytes()).ok()?;
    SigningKey::new(inner.as_bytes().try_into().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_read_as_it_was_written_and_by_nobody_else() {
        let dir = tempfile::tempdir().unwrap();
        let file = path(dir.path());
        let key = make(&file).unwrap();
        assert_eq!(open(&file).unwrap().public(), key.public());
        let named = file.display().to_string();
        assert_eq!(kept(&named).unwrap(), key.public());
        assert_eq!(kept(&key.public().to_string()).unwrap(), key.public());
        let noted = dir.path().join("noted");
        std::fs::write(&noted, format!("{} of the club\n", key.public())).unwrap();
        assert_eq!(kept(&noted.display().to_string()).unwrap(), key.public());
        assert!(make(&file).is_err(), "a key is never written over");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(open(&file).unwrap_err().why.contains("chmod 600"));
        for wrong in ["", "nothing", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
            std::fs::write(&noted, wrong).unwrap();
            assert!(kept(&noted.display().to_string()).is_err(), "{wrong}");
        }
    }
}
