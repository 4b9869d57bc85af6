//! The venue's key for envelopes: an X25519 key in a PKCS#8 file under a passphrase, which the daemon never sees.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::pem::LineEnding;
use pkcs8::der::{Decode, Encode};
use pkcs8::pkcs5::pbes2::Kdf;
use pkcs8::spki::AlgorithmIdentifierRef;
use pkcs8::{EncryptedPrivateKeyInfoRef, ObjectIdentifier, PrivateKeyInfoRef, SecretDocument};
use zeroize::Zeroizing;

use super::super::{Stop, exit};
use crate::envelope::PrivateKey;

/// X25519 (RFC 8410).
const X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
/// What the file says it is.
const LABEL: &str = "ENCRYPTED PRIVATE KEY";
/// Shortest passphrase that a new key is put under, in characters.
const SHORTEST: usize = 8;
/// Largest file that is read as a key.
const LARGEST: u64 = 64 * 1024;

/// The key file and what opens it.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct Secret {
    /// File whose first line is the passphrase; asked at the terminal where not given.
    #[arg(long, env = "ZEITNOT_PASSPHRASE_FILE", value_name = "FILE")]
    pub(in crate::cli) passphrase_file: Option<PathBuf>,
}

impl Secret {
    fn passphrase(&self, prompt: &str) -> Result<Zeroizing<String>, Stop> {
        if let Some(path) = &self.passphrase_file {
            let text = small_file(path).map_err(|e| Stop::new(exit::USAGE, format!("--passphrase-file {}: {e}", path.display())))?;
            return Ok(Zeroizing::new(text.lines().next().unwrap_or_default().to_string()));
        }
        let unasked = |e| Stop::new(exit::USAGE, format!("the passphrase cannot be asked for here ({e}): name a file with --passphrase-file"));
        rpassword::prompt_password(prompt).map(Zeroizing::new).map_err(unasked)
    }

    /// Makes a key, puts it under a passphrase and writes the file, which must not be there.
    pub(super) fn make(&self, path: &Path) -> Result<PrivateKey, Stop> {
        let passphrase = self.passphrase(&format!("passphrase for the new key {}: ", path.display()))?;
        if passphrase.chars().count() < SHORTEST {
            return Err(Stop::new(exit::USAGE, format!("a passphrase has at least {SHORTEST} characters")));
        }
        if self.passphrase_file.is_none() && self.passphrase("the same again: ")? != passphrase {
            return Err(Stop::new(exit::USAGE, "the two passphrases differ"));
        }
        let key = PrivateKey::new(Zeroizing::new(rand::random()));
        let unwritten = |e: &dyn std::fmt::Display| Stop::new(exit::USAGE, format!("cannot write the key to {}: {e}", path.display()));
        let pem = sealed(&key, &passphrase).map_err(|e| unwritten(&e))?;
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(|e| unwritten(&e))?;
        file.write_all(pem.as_bytes()).and_then(|()| file.sync_all()).map_err(|e| unwritten(&e))?;
        Ok(key)
    }

    /// Opens a key file.
    pub(in crate::cli) fn open(&self, path: &Path) -> Result<PrivateKey, Stop> {
        let unusable = |why: &dyn std::fmt::Display| Stop::new(exit::USAGE, format!("{}: {why}", path.display()));
        let pem = small_file(path).map_err(|e| unusable(&e))?;
        let no_key = "no key file: `zeitnot envelope key FILE` makes one";
        let (label, document) = SecretDocument::from_pem(&pem).map_err(|_| unusable(&no_key))?;
        let encrypted = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).ok().filter(|_| label == LABEL).ok_or_else(|| unusable(&no_key))?;
        if !is_usual(&encrypted) {
            return Err(unusable(&"its passphrase is spread in a way that would take for ever, or no time: it was not made here"));
        }
        let passphrase = self.passphrase(&format!("passphrase of {}: ", path.display()))?;
        let decrypted = encrypted.decrypt(passphrase.as_bytes()).map_err(|_| unusable(&"the passphrase does not open it"))?;
        opened(&decrypted).ok_or_else(|| unusable(&"it holds another kind of key, not X25519"))
    }
}

/// A regular file of at most [`LARGEST`] bytes, as text.
fn small_file(path: &Path) -> io::Result<Zeroizing<String>> {
    let known = fs::metadata(path)?;
    if !known.is_file() || known.len() > LARGEST {
        return Err(io::Error::other("no regular file, or larger than any that is meant"));
    }
    let mut text = Zeroizing::new(String::new());
    fs::File::open(path)?.take(LARGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// Whether the work that a passphrase costs is within what programs ask for.
fn is_usual(encrypted: &EncryptedPrivateKeyInfoRef<'_>) -> bool {
    match encrypted.encryption_algorithm.pbes2().map(|parameters| &parameters.kdf) {
        Some(Kdf::Scrypt(scrypt)) => {
            let memory = scrypt.cost_parameter.saturating_mul(u64::from(scrypt.block_size)).saturating_mul(128);
            scrypt.cost_parameter > 1 && (1..=1 << 30).contains(&memory) && (1..=16).contains(&scrypt.parallelization)
        }
        Some(Kdf::Pbkdf2(rounds)) => (1..=10_000_000).contains(&rounds.iteration_count),
        _ => false,
    }
}

fn sealed(key: &PrivateKey, passphrase: &str) -> Result<Zeroizing<String>, pkcs8::Error> {
    let inner = Zeroizing::new(OctetStringRef::new(key.bytes())?.to_der()?);
    let info = PrivateKeyInfoRef::new(AlgorithmIdentifierRef { oid: X25519, parameters: None }, OctetStringRef::new(&inner)?);
    let document = info.encrypt_with_rng(&mut rand::rngs::SysRng, passphrase.as_bytes())?;
    Ok(document.to_pem(LABEL, LineEnding::LF)?)
}

fn opened(document: &SecretDocument) -> Option<PrivateKey> {
    let info = PrivateKeyInfoRef::try_from(document.as_bytes()).ok().filter(|info| info.algorithm.oid == X25519)?;
    let inner = <&OctetStringRef>::from_der(info.private_key.as_bytes()).ok()?;
    let bytes: [u8; 32] = inner.as_bytes().try_into().ok()?;
    Some(PrivateKey::new(Zeroizing::new(bytes)))
}

/// What a player writes, asked for without being shown, or the first line of stdin where that is no terminal.
pub(in crate::cli) fn ask_for_move(prompt: &str) -> Result<Zeroizing<String>, Stop> {
    let unread = |e: io::Error| Stop::new(exit::USAGE, format!("what is sealed cannot be read: {e}"));
    if io::stdin().is_terminal() {
        return rpassword::prompt_password(prompt).map(Zeroizing::new).map_err(unread);
    }
    let mut line = Zeroizing::new(String::new());
    io::stdin().read_line(&mut line).map_err(unread)?;
    Ok(Zeroizing::new(line.trim_end_matches(['\r', '\n']).to_string()))
}
