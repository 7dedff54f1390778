//! A server that handles one connection per turn: it answers, disconnects or stays silent. It
//! writes raw bytes to a socket, so that it can violate the protocol.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The behaviour for the next connection.
#[derive(Clone)]
pub(crate) enum Turn {
    /// Reads the request and writes this response.
    Answer(String),
    /// Reads the request and closes.
    Close,
    /// Begins a response and closes within its body.
    Cut,
    /// Begins a response and never ends it.
    Stall,
    /// Reads the request and never answers.
    Silence,
}

/// Returns a response with these headers and this body.
pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Turn {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    Turn::Answer(format!(
        "HTTP/1.1 {status} Said\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    ))
}

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(turns: Vec<Turn>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            let mut silent = Vec::new();
            for turn in turns {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                let request = read(&mut stream).await;
                seen.lock().unwrap().push(request);
                let begun = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"half\":";
                match turn {
                    Turn::Answer(text) => stream.write_all(text.as_bytes()).await.unwrap(),
                    Turn::Close => {}
                    Turn::Cut => stream.write_all(begun.as_bytes()).await.unwrap(),
                    Turn::Stall => {
                        stream.write_all(begun.as_bytes()).await.unwrap();
                        silent.push(stream);
                    }
                    Turn::Silence => silent.push(stream),
                }
            }
            std::future::pending::<()>().await;
        });
        Self { address, requests, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests received so far, in order.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads the head, and a body of the length specified in it.
async fn read(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return text,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
}
