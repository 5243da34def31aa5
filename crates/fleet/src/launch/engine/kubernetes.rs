//! Kubernetes: a Job a node, whose manifest is printed or applied with kubectl. Records come back in the log of its pod.

mod manifest;

use std::collections::BTreeMap;

use serde_json::Value;

use super::children::last_line;
use super::tool::{Said, tool};
use super::{Engine, EngineError, Offered, State, Task};
use crate::launch::armor::unarmor;
use crate::launch::task::Setup;
use manifest::{NODE, PLAN};

/// Kubernetes, by kubectl.
pub struct Kubernetes {
    /// What is the same for all nodes.
    pub setup: Setup,
    /// The image that has the program.
    pub image: String,
    /// Of kubectl's context without one.
    pub namespace: Option<String>,
    /// Nodes that were named; all without.
    pub named: Option<Vec<String>>,
    /// Is there a cluster to ask?
    online: bool,
    /// Tasks that were submitted.
    tasks: BTreeMap<String, Task>,
}

impl Kubernetes {
    /// With a program of `setup` that lies in `image`.
    pub fn new(
        setup: Setup,
        image: String,
        namespace: Option<String>,
        named: Option<Vec<String>>,
    ) -> Kubernetes {
        Kubernetes {
            setup,
            image,
            namespace,
            named,
            online: true,
            tasks: BTreeMap::new(),
        }
    }

    /// The same for manifests alone: nodes that were named are taken as they are.
    pub fn offline(
        setup: Setup,
        image: String,
        namespace: Option<String>,
        named: Option<Vec<String>>,
    ) -> Kubernetes {
        Kubernetes {
            online: false,
            ..Kubernetes::new(setup, image, namespace, named)
        }
    }

    fn job(&self, node: &str) -> String {
        manifest::name(&self.setup, node)
    }

    fn kubectl(&self, words: &[&str], input: &str) -> Result<String, EngineError> {
        let mut all = vec!["kubectl".to_owned()];
        all.extend(words.iter().map(|&word| word.to_owned()));
        let namespace = self.namespace.iter();
        all.extend(namespace.map(|namespace| format!("--namespace={namespace}")));
        heard(tool(&all, input)?)
    }

    fn items(&self, words: &[&str]) -> Result<Vec<Value>, EngineError> {
        let said = self.kubectl(words, "")?;
        let mut parsed: Value = serde_json::from_str(&said)
            .map_err(|why| EngineError::Unanswered(format!("kubectl said no JSON: {why}")))?;
        Ok(match parsed["items"].take() {
            Value::Array(items) => items,
            _ => Vec::new(),
        })
    }

    /// Why the pod of a node failed, as it said itself.
    fn complaint(&self, node: &str, message: &str) -> String {
        let job = format!("job/{}", self.job(node));
        let said = self.kubectl(&["logs", &job, "--tail=5"], "");
        let said = said.map(|said| last_line(&said)).unwrap_or_default();
        match said.is_empty() {
            true => message.to_owned(),
            false => format!("{message}: {said}"),
        }
    }

    /// Puts the records of a pod that is done into place, and removes its Job.
    fn collect(&self, node: &str) -> Result<(), String> {
        let Some(task) = self.tasks.get(node) else {
            return Ok(());
        };
        let job = format!("job/{}", self.job(node));
        let said = self
            .kubectl(&["logs", &job], "")
            .map_err(|why| why.to_string())?;
        for (record, place) in unarmor(&said).iter().zip(&task.records) {
            super::children::install(record, place)
                .map_err(|why| format!("{}: {why}", place.display()))?;
        }
        // It has nothing more to tell; where it cannot be removed it is in the way of nothing.
        let _ = self.kubectl(&["delete", &job, "--wait=false"], "");
        Ok(())
    }
}

impl Engine for Kubernetes {
    fn nodes(&mut self) -> Result<Vec<(String, Offered)>, EngineError> {
        if let (Some(named), false) = (&self.named, self.online) {
            let named = named.iter();
            return Ok(named.map(|node| (node.clone(), Offered::Idle)).collect());
        }
        let items = self.items(&["get", "nodes", "--output=json"])?;
        let known = items.iter().filter_map(|node| {
            let name = node["metadata"]["name"].as_str()?;
            Some((name.to_owned(), offered(node)))
        });
        let Some(named) = &self.named else {
            return Ok(known.collect());
        };
        let mut known: BTreeMap<String, Offered> = known.collect();
        let named = named.iter().map(|node| {
            let unknown = || Offered::Unusable("not known to Kubernetes".to_owned());
            (node.clone(), known.remove(node).unwrap_or_else(unknown))
        });
        Ok(named.collect())
    }

    fn submit(&mut self, task: &Task) -> Result<(), EngineError> {
        self.tasks.insert(task.node.clone(), task.clone());
        // A Job that is there, by this launch or by the user, stays as it is: its name says that it is the same.
        let job = self.job(&task.node);
        let there = self.kubectl(
            &["get", "job", &job, "--ignore-not-found", "--output=name"],
            "",
        )?;
        if !there.trim().is_empty() {
            return Ok(());
        }
        self.kubectl(&["create", "--filename=-"], &self.shown(task))
            .map(drop)
    }

    fn look(&mut self) -> Result<Vec<(String, State)>, EngineError> {
        let label = format!("--selector={PLAN}={}", self.setup.name);
        let jobs = self.items(&["get", "jobs", "--output=json", &label])?;
        let pods = self.items(&["get", "pods", "--output=json", &label])?;
        let pods: BTreeMap<&str, &Value> = pods
            .iter()
            .filter_map(|pod| Some((pod["metadata"]["annotations"][NODE].as_str()?, pod)))
            .collect();
        let mut states = Vec::new();
        for job in &jobs {
            let Some(node) = job["metadata"]["annotations"][NODE].as_str() else {
                continue;
            };
            let state = match finished(job) {
                Some(Ok(())) => State::Ended(self.collect(node)),
                Some(Err(message)) => State::Ended(Err(self.complaint(node, &message))),
                None => pods
                    .get(node)
                    .map_or(State::Waiting(None), |pod| phase(pod)),
            };
            states.push((node.to_owned(), state));
        }
        Ok(states)
    }

    fn again(&self) -> bool {
        // A Job keeps its name for as long as its records may be collected.
        false
    }

    fn cancel(&mut self, node: &str) -> Result<(), EngineError> {
        let job = format!("job/{}", self.job(node));
        self.kubectl(&["delete", &job, "--ignore-not-found", "--wait=false"], "")
            .map(drop)
    }

    fn shown(&self, task: &Task) -> String {
        manifest::manifest(&self.setup, &self.image, self.namespace.as_deref(), task)
    }
}

/// The answer of kubectl, or what its complaint means.
fn heard(said: Said) -> Result<String, EngineError> {
    const SILENT: [&str; 8] = [
        "Unable to connect",
        "was refused",
        "i/o timeout",
        "TLS handshake timeout",
        "etcdserver",
        "the server is currently unable",
        "ServiceUnavailable",
        "connection reset",
    ];
    if said.ok {
        return Ok(said.out);
    }
    let has = |words: &[&str]| words.iter().any(|word| said.err.contains(word));
    let why = said.err.rsplit("; ").next().unwrap_or_default().to_owned();
    Err(if has(&["exceeded quota", "TooManyRequests"]) {
        EngineError::Full(why)
    } else if has(&SILENT) {
        EngineError::Unanswered(why)
    } else {
        EngineError::Refused(why)
    })
}

/// What a node says of itself.
fn offered(node: &Value) -> Offered {
    let conditions = node["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    let ready = conditions.find(|condition| condition["type"] == "Ready");
    match ready {
        Some(ready) if ready["status"] == "True" => {}
        Some(ready) => {
            let reason = ready["reason"].as_str().unwrap_or("no reason is given");
            return Offered::Unusable(format!("not ready: {reason}"));
        }
        None => return Offered::Unusable("not ready".to_owned()),
    }
    if node["spec"]["unschedulable"] == true {
        return Offered::Unusable("cordoned".to_owned());
    }
    Offered::Idle
}

/// Did the Job end, and how?
fn finished(job: &Value) -> Option<Result<(), String>> {
    let conditions = job["status"]["conditions"].as_array()?;
    let holds = |kind: &str| {
        let mut all = conditions.iter();
        all.find(|condition| condition["type"] == kind && condition["status"] == "True")
    };
    if holds("Complete").is_some() {
        return Some(Ok(()));
    }
    let failed = holds("Failed")?;
    let message = failed["reason"].as_str().unwrap_or("failed");
    Some(Err(message.to_owned()))
}

/// What a pod does.
fn phase(pod: &Value) -> State {
    if pod["status"]["phase"] == "Running" {
        return State::Running;
    }
    let container = &pod["status"]["containerStatuses"][0]["state"]["waiting"]["reason"];
    let conditions = pod["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    let unplaced = conditions.find(|condition| condition["status"] == "False");
    let reason = container
        .as_str()
        .or_else(|| unplaced.and_then(|condition| condition["message"].as_str()));
    State::Waiting(reason.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn kubernetes() -> Kubernetes {
        let setup = Setup {
            name: "whyslow-20260105-000000-0a1b2c3d".to_owned(),
            program: "/whyslow".into(),
            run: vec!["--only".to_owned(), "os.*".to_owned()],
            limit: Duration::from_secs(600),
        };
        Kubernetes::new(
            setup,
            "registry/whyslow:1".to_owned(),
            Some("lab".to_owned()),
            None,
        )
    }

    #[test]
    fn a_manifest_is_for_one_node() {
        let task = Task {
            node: "Gpu-01.rack-7.example.org".to_owned(),
            records: vec!["/f/n1/t.whyslow".into()],
        };
        let kubernetes = kubernetes();
        assert!(kubernetes.job(&task.node).len() <= 57);
        insta::assert_snapshot!(kubernetes.shown(&task), @r#"
        ---
        apiVersion: batch/v1
        kind: Job
        metadata:
          name: whyslow-20260105-000000-0a1b2c3d-gpu-01-rack-7-e-e7b7a9b1
          namespace: "lab"
          labels:
            whyslow/plan: whyslow-20260105-000000-0a1b2c3d
          annotations:
            whyslow/node: "Gpu-01.rack-7.example.org"
        spec:
          backoffLimit: 0
          template:
            metadata:
              labels:
                whyslow/plan: whyslow-20260105-000000-0a1b2c3d
              annotations:
                whyslow/node: "Gpu-01.rack-7.example.org"
            spec:
              restartPolicy: Never
              activeDeadlineSeconds: 660
              automountServiceAccountToken: false
              affinity:
                nodeAffinity:
                  requiredDuringSchedulingIgnoredDuringExecution:
                    nodeSelectorTerms:
                    - matchFields:
                      - key: metadata.name
                        operator: In
                        values: ["Gpu-01.rack-7.example.org"]
              containers:
              - name: whyslow
                image: "registry/whyslow:1"
                command:
                - "/whyslow"
                - "__node"
                - "--limit"
                - "600"
                - "--send"
                - "1"
                - "--"
                - "--only"
                - "os.*"
                volumeMounts:
                - name: tmp
                  mountPath: /tmp
              volumes:
              - name: tmp
                emptyDir: {}
        "#);
    }

    #[test]
    fn nodes_jobs_and_pods_are_told() {
        let node = |ready: &str, cordoned: bool| {
            offered(&json!({
                "spec": {"unschedulable": cordoned},
                "status": {"conditions": [{"type": "Ready", "status": ready, "reason": "KubeletDown"}]}
            }))
        };
        assert_eq!(node("True", false), Offered::Idle);
        assert_eq!(
            node("False", false),
            Offered::Unusable("not ready: KubeletDown".to_owned())
        );
        assert_eq!(node("True", true), Offered::Unusable("cordoned".to_owned()));
        let job = |kind: &str| {
            finished(&json!({"status": {"conditions": [
                {"type": kind, "status": "True", "reason": "DeadlineExceeded"}]}}))
        };
        assert_eq!(job("Complete"), Some(Ok(())));
        assert_eq!(job("Failed"), Some(Err("DeadlineExceeded".to_owned())));
        assert_eq!(finished(&json!({"status": {"active": 1}})), None);
        let waiting = json!({"status": {"phase": "Pending", "containerStatuses": [
            {"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}});
        assert_eq!(
            phase(&waiting),
            State::Waiting(Some("ImagePullBackOff".to_owned()))
        );
        assert_eq!(
            phase(&json!({"status": {"phase": "Running"}})),
            State::Running
        );
    }
}
