import type { RunReason, RunTrigger } from "../contract.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { Grant } from "../money/spending.ts";
import type { Limits } from "../wire/automation.ts";
import { crashedUntil } from "./crashes.ts";
import type { GateView } from "../wire/run.ts";

/** What is known of an automation's agent before a run. */
export interface AgentFacts {
  exists: boolean;
  cliInstalled: boolean;
  busy: boolean;
  inTerminal: boolean;
  reportsCost: boolean;
}

/** What the gates look at. What costs time is asked for only when its gate is reached. */
export interface GateFacts {
  trigger: RunTrigger;
  automation: AutomationRecord;
  activeRunId: string | null;
  slot: { slotAt: string; offsetMs: number; lateMs: number } | null;
  /** When runs crashed lately. */
  crashes: readonly string[];
  now: number;
  /** Runs that began in each window, in the order of {@link windowsOf}. */
  countRuns(): Promise<number[]>;
  /** Sets money aside for the run. */
  reserve(): Grant;
  inspectAgent(): Promise<AgentFacts>;
  /** Creates the agent again. Returns the reason if it cannot be created. */
  remakeAgent(): Promise<{ problem: string } | undefined>;
}

/** What the gates said. */
export interface Judgement {
  decision: GateView[];
  /** Missing if nothing stands against the run. */
  refusal?: { result: "skipped" | "failed"; reason: RunReason; detail: string };
}

const HOUR_MS = 60 * 60 * 1000;
const CAPS = [
  { field: "maxRunsPerHour", name: "hour", ms: HOUR_MS },
  { field: "maxRunsPerDay", name: "day", ms: 24 * HOUR_MS },
  { field: "maxRunsPerWeek", name: "week", ms: 7 * 24 * HOUR_MS },
] as const;

/** The windows of time in which an automation's runs are counted. */
export function windowsOf(
  limits: Limits,
): { name: string; ms: number; cap: number }[] {
  return CAPS.flatMap(({ field, name, ms }) => {
    const cap = limits[field];
    return cap === null ? [] : [{ name, ms, cap }];
  });
}

const GATES = [checkEnabled, checkBusy, checkCaps, checkSpending, checkAgent];

/** Leads a run through the gates, in their order. The first that refuses ends it; each leaves its reasons. */
export async function passGates(facts: GateFacts): Promise<Judgement> {
  const decision: GateView[] = [];
  for (const gate of GATES) {
    const findings = await gate(facts);
    for (const { refusal, ...entry } of findings) {
      decision.push(entry);
      if (refusal)
        return { decision, refusal: { ...refusal, detail: entry.detail } };
    }
  }
  return { decision };
}

interface Finding extends GateView {
  refusal?: { result: "skipped" | "failed"; reason: RunReason };
}

type Figures = GateView["figures"];

const passed = (
  gate: GateView["gate"],
  detail: string,
  figures: Figures = {},
): Finding => ({ gate, verdict: "passed", detail, figures });

const skipped = (
  gate: GateView["gate"],
  reason: RunReason,
  detail: string,
  figures: Figures = {},
): Finding => ({
  gate,
  verdict: "refused",
  detail,
  figures,
  refusal: { result: "skipped", reason },
});

const failed = (
  gate: GateView["gate"],
  reason: RunReason,
  detail: string,
): Finding => ({
  gate,
  verdict: "refused",
  detail,
  figures: {},
  refusal: { result: "failed", reason },
});

function checkEnabled({ trigger, automation, slot }: GateFacts): Finding[] {
  const figures: Figures = { trigger, ...slot };
  const detail = automation.enabled
    ? "The automation is switched on."
    : "The automation is switched off, which does not matter to a run by hand.";
  return [passed("enabled", detail, figures)];
}

function checkBusy({ activeRunId }: GateFacts): Finding[] {
  if (activeRunId === null)
    return [passed("busy", "No run of this automation was going.")];
  return [
    skipped("busy", "busy", "The previous run was still going.", {
      activeRunId,
    }),
  ];
}

async function checkCaps(facts: GateFacts): Promise<Finding[]> {
  const crashed = crashedUntil(facts.crashes, facts.now);
  // A user who runs it by hand is there to see the result.
  if (crashed && facts.trigger !== "manual") {
    const until = new Date(crashed.until).toISOString();
    const words = `${crashed.count} runs within ten minutes ended with an error right after they had begun; the next may begin after ${until}, or by hand.`;
    return [
      skipped("rate-cap", "rate-cap", words, { crashes: crashed.count, until }),
    ];
  }
  const windows = windowsOf(facts.automation.limits);
  if (windows.length === 0)
    return [passed("rate-cap", "There is no cap on runs.")];
  const counts = await facts.countRuns();
  const figures: Figures = {};
  let full: string | undefined;
  for (const [index, { name, cap }] of windows.entries()) {
    const count = counts[index] ?? 0;
    figures[`runsInLast${name[0]!.toUpperCase()}${name.slice(1)}`] = count;
    figures[`maxRunsPer${name[0]!.toUpperCase()}${name.slice(1)}`] = cap;
    if (count >= cap)
      full ??= `${count} of at most ${cap} runs began within the last ${name}.`;
  }
  return [
    full === undefined
      ? passed("rate-cap", "The caps on runs leave room.", figures)
      : skipped("rate-cap", "rate-cap", full, figures),
  ];
}

function checkSpending({ reserve }: GateFacts): Finding[] {
  const { isGranted, detail, figures } = reserve();
  // Where there is no limit, there is nothing to say.
  if (detail === "") return [];
  return [
    isGranted
      ? passed("spend-limit", detail, figures)
      : skipped("spend-limit", "cost-cap", detail, figures),
  ];
}

/** In message mode no agent is created again, and a busy agent gets the prompt when its turn is over. */
async function checkTarget(facts: GateFacts): Promise<Finding[]> {
  const agent = await facts.inspectAgent();
  if (!agent.exists) {
    const words = "The agent that the prompt is for does not exist any more.";
    return [failed("target", "target-gone", words)];
  }
  if (agent.inTerminal) return [inTerminal];
  const words = agent.busy
    ? "The agent is working; the prompt follows when its turn is over."
    : "The agent is there and free.";
  return [
    passed("target", words, { reportsCost: agent.reportsCost }),
    checkCli(agent, "The CLI of the agent"),
  ];
}

async function checkAgent(facts: GateFacts): Promise<Finding[]> {
  const { automation } = facts;
  if (automation.mode === "message") return checkTarget(facts);
  let agent = await facts.inspectAgent();
  let detail = "The agent is there and free.";
  if (!agent.exists) {
    const failure = await facts.remakeAgent();
    if (failure) {
      const words = `The agent is gone and could not be created again: ${failure.problem}`;
      return [failed("target", "target-gone", words)];
    }
    detail =
      automation.agentId === null
        ? "An agent of its own was made."
        : "The agent was gone, so a new one was made.";
    agent = await facts.inspectAgent();
  }
  if (agent.inTerminal) return [inTerminal];
  if (agent.busy)
    return [
      skipped("target", "busy", "The agent is working on something else."),
    ];
  const target = passed("target", detail, { reportsCost: agent.reportsCost });
  return [target, checkCli(agent, automation.cli ?? "The agent CLI")];
}

const inTerminal = skipped(
  "target",
  "agent-in-terminal",
  "The agent is open in a terminal, where no message is delivered.",
);

function checkCli({ cliInstalled }: AgentFacts, cli: string): Finding {
  if (cliInstalled) return passed("cli-missing", `${cli} is installed.`);
  const words = `${cli} is not installed, or not on the PATH of the daemon.`;
  return failed("cli-missing", "cli-missing", words);
}

/** The last entry of a run that passed all gates. */
export function startGate(
  { timeoutMs }: AutomationRecord,
  room: { atOnce: boolean; running: number; limit: number },
  maxCostUsd: number | null,
): GateView {
  const words = room.atOnce
    ? "The run began."
    : "The run waits for a free place.";
  return passed("start", words, {
    runsAtWork: room.running,
    mostAtWork: room.limit,
    maxCostUsd,
    timeoutMs,
  });
}
