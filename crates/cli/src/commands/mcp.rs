//! `whyslow mcp`: commands as tools of an agent, by the Model Context Protocol on standard input and output.
//!
//! A tool is a command of this program, run as a process of its own with the arguments that were declared for it: what it
//! takes, prints and refuses is the same. One runs at a time, since a second would disturb what the first measures.

mod answer;
mod child;
mod tools;

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::sync::Mutex;
use tokio::time::sleep;

use crate::output;
use crate::signals;

/// How often a client that asks for progress is told that a tool still runs: clients give up after a minute of silence.
const PROGRESS: Duration = Duration::from_secs(5);

/// How long a signal may wait.
const LOOK: Duration = Duration::from_millis(100);

/// What a client is told of all tools at once.
const INSTRUCTIONS: &str = "\
whyslow measures this Linux machine and says which differences between two records are real. Usual order: doctor, run \
(into a record), compare and explain (two records). Answers are short and say what they hold for; with json=true they are \
the whole result, as the command line's --format json. Nothing but `experiment` changes anything on the machine besides \
writing the record of a run. One tool runs at a time; measuring takes the seconds of its budget.";

/// Answers a client until it ends.
pub(crate) fn mcp() -> Result<ExitCode> {
    if io::stdin().is_terminal() {
        output::warn(
            "this is for agents, which speak the Model Context Protocol here; Ctrl-D ends it",
        );
    }
    let stop = signals::stop()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no thread can be started")?;
    let served = runtime.block_on(serve(stop));
    // Standard input may still be waited for, which nothing ends but its other side.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(stop: Arc<AtomicBool>) -> Result<()> {
    let alone = Arc::new(Mutex::new(()));
    let server = Server {
        stop: stop.clone(),
        alone: alone.clone(),
    };
    let service = server
        .serve(rmcp::transport::stdio())
        .await
        .context("no client spoke the Model Context Protocol on standard input")?;
    let end = service.cancellation_token();
    let asked = stop.clone();
    let watch = tokio::spawn(async move {
        while !asked.load(Ordering::Relaxed) {
            sleep(LOOK).await;
        }
        end.cancel();
    });
    let ended = service.waiting().await;
    watch.abort();
    // A tool that still runs is ended as by Ctrl-C, and keeps what it measured.
    stop.store(true, Ordering::Relaxed);
    let _ended = alone.lock().await;
    ended.context("the server ended")?;
    Ok(())
}

struct Server {
    /// Are all to end?
    stop: Arc<AtomicBool>,
    /// Held while a tool runs.
    alone: Arc<Mutex<()>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(tools)
            .with_server_info(Implementation::new("whyslow", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::find(&request.name) else {
            let why = format!("{}: no such tool; tools/list names them", request.name);
            return Err(ErrorData::invalid_params(why, None));
        };
        let given = request.arguments.unwrap_or_default();
        let call = match tool.call(&given) {
            Ok(call) => call,
            // A result and no error of the protocol, so that the agent sees it and can do better.
            Err(why) => return Ok(refused(why).into()),
        };
        let Some(_alone) = context.ct.run_until_cancelled(self.alone.lock()).await else {
            return Ok(refused("cancelled before it began".into()).into());
        };
        let ended = self.run(call.args.clone(), &context).await;
        Ok(match ended {
            Ok(ended) => answer::of(&call, &ended),
            Err(why) => refused(why),
        }
        .into())
    }
}

impl Server {
    /// Runs the command to its end, which a client that cancels brings about, and tells a client that asked for it that it
    /// still runs.
    async fn run(
        &self,
        args: Vec<String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<child::Ended, String> {
        let cancelled = Arc::new(AtomicBool::new(false));
        let (own, all) = (cancelled.clone(), self.stop.clone());
        let stop = move || own.load(Ordering::Relaxed) || all.load(Ordering::Relaxed);
        let mut work = tokio::task::spawn_blocking(move || child::run(&args, &stop));
        let begun = Instant::now();
        loop {
            tokio::select! {
                ended = &mut work => {
                    let ended = ended.map_err(|why| why.to_string())?;
                    return ended.map_err(|why| format!("whyslow could not be started: {why}"));
                }
                () = context.ct.cancelled(), if !cancelled.load(Ordering::Relaxed) => {
                    cancelled.store(true, Ordering::Relaxed);
                }
                () = sleep(PROGRESS) => {
                    if let Some(token) = context.meta.get_progress_token() {
                        let seconds = begun.elapsed().as_secs_f64().round();
                        let told = ProgressNotificationParam::new(token, seconds)
                            .with_message(format!("{seconds} s"));
                        // A client that is gone is told nothing.
                        let _ = context.peer.notify_progress(told).await;
                    }
                }
            }
        }
    }
}

/// A result that says in a line what is wrong.
fn refused(why: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}
