"""What the reports of planted fleets say: `planted.py PROGRAM FOLDER`, FOLDER/FLEET.N as planted.sh makes them."""

import collections
import json
import os
import subprocess
import sys

CAUSES = {
    "seccomp": {"seccomp"},
    "thp": {"tlb-reach"},
    "preload": {"preload"},
    "quota": {"cpu-quota"},
    # Who copies memory uses a CPU and the core beside too, and each of these is the neighbor.
    "stream": {"memory-neighbor", "cpu-neighbor", "core-neighbor"},
}

program, folder = sys.argv[1:]


def report(records, until):
    """The report of a fleet's first records, or of all."""
    base = os.path.join(folder, records)
    if until == "one record":
        base = os.path.join(folder, ".first", records)
        for node in os.listdir(os.path.join(folder, records)):
            own = os.path.join(folder, records, node)
            if os.path.isdir(own):
                whole = sorted(name for name in os.listdir(own) if name.endswith(".whyslow"))
                os.makedirs(os.path.join(base, node), exist_ok=True)
                for name in whole[:1]:
                    place = os.path.join(base, node, name)
                    if not os.path.exists(place):
                        os.link(os.path.join(own, name), place)
    said = subprocess.run([program, "fleet", "report", base, "--format", "json"], stdout=subprocess.PIPE)
    if said.returncode not in (0, 1):
        sys.exit(f"{base}: exit code {said.returncode}")
    return json.loads(said.stdout)


def judged(found, planted):
    """Found with its cause in the first place, in any place, or as a suspect by its facts, of each planted node."""
    nodes = {node["node"]: node for node in found["nodes"]}
    lines, counts = [], collections.Counter()
    for name, cause in planted.items():
        node = nodes[name]
        slow = [f["family"] for f in node["families"] if f["verdict"] == "slower"]
        causes = [c["cause"] for c in (node.get("why") or {}).get("causes", [])]
        odd = {fact.get("cause") for fact in node.get("odd", [])}
        right = bool(causes) and causes[0] in CAUSES[cause]
        told = bool(odd & CAUSES[cause])
        counts[cause, "slow"] += bool(slow)
        counts[cause, "named"] += bool(slow) and right
        counts[cause, "told"] += told
        lines.append(
            f"{name} ({cause}): {', '.join(slow) or 'not slow'}; causes: {', '.join(causes) or 'none'};"
            f" {'told by its facts' if told else 'not told by facts'}"
        )
    accused = sorted(n["node"] for n in found["nodes"] if n["verdict"] == "slow" and n["node"] not in planted)
    return lines, counts, accused


total = {when: collections.Counter() for when in ("one record", "confirmed")}
for name in sorted(name for name in os.listdir(folder) if "." in name[1:] and name[0] != "."):
    fleet = name.rsplit(".", 1)[0]
    causes = [] if fleet == "none" else fleet.split("+")
    planted = dict(zip(("n3", "n6"), causes))
    for when, counts in total.items():
        if when == "confirmed" and not os.path.exists(os.path.join(folder, name, ".looks-2")):
            continue
        lines, own, accused = judged(report(name, when), planted)
        for cause in causes:
            own[cause, "planted"] += 1
        counts += own
        counts["fleets"] += 1
        counts["planted fleets"] += bool(causes)
        counts["accused"] += bool(accused)
        counts["accused none"] += bool(accused) and not causes
        whole = all(own[cause, "named"] for cause in causes) and not accused
        counts["whole"] += whole and bool(causes)
        print(f"{name}, {when}: {' | '.join(lines + ['others accused: ' + (', '.join(accused) or 'none')])}")
print()
print("| planted | told by its facts, one record | slow, with its cause, one record | slow, confirmed | cause in the first place |")
print("|---|---|---|---|---|")
first, last = total["one record"], total["confirmed"]
for cause in CAUSES:
    n, m = first[cause, "planted"], last[cause, "planted"]
    if n:
        print(
            f"| {cause} | {first[cause, 'told']} of {n} | {first[cause, 'named']} of {n} |"
            f" {last[cause, 'slow']} of {m} | {last[cause, 'named']} of {m} |"
        )
for when, counts in total.items():
    print(
        f"{when}: {counts['whole']} of {counts['planted fleets']} planted fleets with all nodes found, their causes named and no"
        f" other accused; any other node accused in {counts['accused']} of {counts['fleets']} fleets"
        f" ({counts['accused none']} of {counts['fleets'] - counts['planted fleets']} without a planted cause)"
    )
