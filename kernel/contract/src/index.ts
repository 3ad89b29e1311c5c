export {
  bytes,
  eventStream,
  headersOf,
  renderMessage,
  withHeaders,
} from "./answer.ts";
export type {
  BytesAnswer,
  ByteStream,
  EventStreamAnswer,
  RenderedMessage,
  StreamClient,
  StreamMessage,
} from "./answer.ts";
export type { Clock, Disposer } from "./clock.ts";
export { fileContent, redirectTo, textContent } from "./content.ts";
export type {
  ContentAnswer,
  ContentDefinition,
  ContentRequest,
  FileContent,
  Redirect,
  TextContent,
} from "./content.ts";
export type { ConnectAddress, ConnectOptions } from "./connect.ts";
export type {
  DaemonLogLine,
  DaemonPlugin,
  DaemonPluginUi,
  DaemonProcess,
  DaemonView,
} from "./daemon-view.ts";
export { describeError } from "./describe-error.ts";
export { defineErrors, GantryError, isGantryError } from "./errors.ts";
export type {
  ErrorDefinition,
  ErrorExtras,
  ErrorFactory,
  ErrorTable,
  ErrorValue,
  ErrorValues,
} from "./errors.ts";
export { defineEvent } from "./event.ts";
export type {
  EventDescription,
  EventRecord,
  EventToken,
  NewEvent,
} from "./event.ts";
export type { EventLog } from "./event-log.ts";
export type { Finding } from "./finding.ts";
export type { Git, GitCommand, GitOptions, GitResult } from "./git.ts";
export { definePluginCommands } from "./command.ts";
export type {
  CommandInput,
  CommandOption,
  PluginCommand,
  PluginCommands,
} from "./command.ts";
export { createIdentifier, isIdentifier } from "./identifier.ts";
export { KernelFacts } from "./kernel-facts.ts";
export type {
  AuditEntryFacts,
  AuditValue,
  DaemonFacts,
  DeviceFacts,
  PluginFacts,
  StallFacts,
  UsedProgramsFacts,
} from "./kernel-facts.ts";
export { KernelQuarantine, quarantineErrors } from "./kernel-quarantine.ts";
export type {
  QuarantineChange,
  QuarantinedRecord,
} from "./kernel-quarantine.ts";
export { createKeyedLock } from "./keyed-lock.ts";
export type { KeyedLock } from "./keyed-lock.ts";
export type { Log, LogFields } from "./log.ts";
export { NoticeRaised } from "./notice.ts";
export type { Notice } from "./notice.ts";
export type { OutboundFetch, OutboundRequest } from "./outbound.ts";
export { pageErrors, paginate, positionKey } from "./paginate.ts";
export type { PageRequest, PaginateOptions } from "./paginate.ts";
export type { PathParameterNames, PathParameters } from "./path.ts";
export { definePlugin } from "./plugin.ts";
export type {
  AuditOptions,
  ListenOptions,
  OptionalServicesOf,
  PluginContext,
  PluginDefinition,
  ServiceCaller,
  ServicesOf,
  ServiceTokens,
} from "./plugin.ts";
export type {
  ProcessExit,
  ProcessResult,
  ProcessSubject,
  Run,
  RunningProcess,
  RunOptions,
} from "./process.ts";
export { requestErrors } from "./request-errors.ts";
export { defineRoute } from "./route.ts";
export type {
  AnswerOf,
  BodyFormat,
  BytesBody,
  Caller,
  IdentifierParameter,
  Method,
  MissingError,
  RequestHead,
  ReturnsDefinition,
  RouteDefinition,
  RouteRequest,
} from "./route.ts";
export type { InputIssue, Schema, SchemaOutput } from "./schema.ts";
export { defineService } from "./service.ts";
export type { ServiceOf, ServiceToken } from "./service.ts";
export type { EventHandler, HandlerOptions } from "./handler.ts";
export type { SocketDefinition, SocketPeer } from "./socket.ts";
export { keyPart } from "./store.ts";
export type {
  Change,
  Collection,
  CollectionDefinition,
  IndexKey,
  ListOptions,
  NewRecord,
  Page,
  Store,
  StoredRecord,
  StoreOperation,
} from "./store.ts";
export { toVisibleText } from "./visible-text.ts";
export { HomeReplaced } from "./whole-home.ts";
export type {
  HomeReplacement,
  RehearsedPlugin,
  ReplacementResult,
  StoreEntry,
  StoreImage,
  StoreNamespace,
  WholeHome,
} from "./whole-home.ts";
