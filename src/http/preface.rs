//! A connection says in its time which kind it is: one that never does would be kept for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How long it has for that.
pub(super) const FIRST_WORDS: Duration = Duration::from_secs(10);
/// What HTTP/2 begins with. What begins otherwise is HTTP/1, which has a time of its own for its headers.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A connection that ends with an error if it has not said in time which kind it is.
pub(super) struct Hurried<S> {
    stream: S,
    /// How much of HTTP/2's beginning has come; `None`: the kind is known.
    said: Option<usize>,
    until: Pin<Box<Sleep>>,
}

impl<S> Hurried<S> {
    pub(super) fn new(stream: S) -> Hurried<S> {
        Hurried { stream, said: Some(0), until: Box::pin(tokio::time::sleep(FIRST_WORDS)) }
    }
}

/// How much of the beginning has come with these bytes; `None`: the kind is known.
fn told(said: usize, bytes: &[u8]) -> Option<usize> {
    PREFACE.get(said..).is_some_and(|rest| bytes.len() < rest.len() && rest.starts_with(bytes)).then_some(said + bytes.len())
}

impl<S: AsyncRead + Unpin> AsyncRead for Hurried<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let Some(said) = self.said else { return read };
        if read.is_pending() {
            ready!(self.until.as_mut().poll(context));
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the connection has not said in time which kind it is")));
        }
        self.said = told(said, &buffer.filled()[before..]);
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Hurried<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_known_at_the_first_byte_that_is_another_or_at_the_end() {
        assert_eq!(told(0, b"P"), Some(1));
        assert_eq!(told(1, b"RI * HTTP/2.0\r\n"), Some(16));
        assert_eq!(told(1, b"OST /"), None);
        assert_eq!(told(0, b"GET /"), None);
        assert_eq!(told(0, PREFACE), None);
        assert_eq!(told(16, b"\r\nSM\r\n\r\nmore"), None);
    }
}
