export type {
  AgentCli,
  AskingSettings,
  CliSettings,
  KeptConversations,
  LackedCapability,
  ScreenArguments,
} from "./agent-cli.ts";
export { AgentDrivers } from "./agent-drivers.ts";
export type { DriverOffer } from "./agent-drivers.ts";
export { raceAbort, timeoutSignal } from "./abort.ts";
export type {
  PromptImage,
  CompactOutcome,
  SessionEnd,
  AgentSession,
} from "./agent-session.ts";
export { NO_CAPABILITIES } from "./capabilities.ts";
export type { AgentCapabilities } from "./capabilities.ts";
export type {
  DriverDialogOption,
  DriverDialog,
  DialogAnswer,
} from "./driver-dialog.ts";
export { driverErrors } from "./driver-errors.ts";
export type {
  DriverCommand,
  PlanItem,
  TurnEvent,
  SessionEvent,
  SessionFact,
  DriverEvent,
  DriverListener,
} from "./driver-events.ts";
export type { AgentDriver } from "./driver.ts";
export {
  toConfiguredCapabilities,
  toConfiguredDriver,
} from "./configured-driver.ts";
export { EventChain } from "./event-chain.ts";
export type { TurnNews, SessionNews } from "./event-chain.ts";
export { holdsPrompt } from "./holds-prompt.ts";
export type { RecordedMessage } from "./holds-prompt.ts";
export { ReportFault, roundMoney, checkAmount, CostMeter } from "./money.ts";
export type {
  CliCommand,
  ResumePoint,
  SessionFork,
  OpenSession,
  TerminalProgram,
  OpenScreen,
  AgentScreen,
} from "./open-session.ts";
export {
  MAX_TOOL_START_MS,
  toolEnvironment,
  writePrivateFile,
} from "./tool-environment.ts";
export type { ToolServer } from "./tool-server.ts";
export { ANY_TRUST_PATHS } from "./trust-paths.ts";
export { NO_USAGE, addUsage } from "./usage.ts";
export type { AgentUsage } from "./usage.ts";
export { isAtLeast } from "./version.ts";
export { AgentProcess } from "./wire/agent-process.ts";
export { LineChannel } from "./wire/line-channel.ts";
export type { WireReader } from "./wire/line-channel.ts";
export { LineSplitter } from "./wire/line-splitter.ts";
export type { OversizedLine, WireLine } from "./wire/line-splitter.ts";
export { readLinesBackwards } from "./wire/read-backwards.ts";
export type { PlacedLine } from "./wire/read-backwards.ts";
export { SessionGone } from "./wire/session-gone.ts";
export { TextTail } from "./wire/text-tail.ts";
