export { toAddressKind } from "./address-kind.ts";
export type { AddressKind } from "./address-kind.ts";
export { bytes, eventStream, headersOf, withHeaders } from "./answer.ts";
export type {
  BytesAnswer,
  ByteStream,
  EventStreamAnswer,
  StreamClient,
  StreamMessage,
} from "./answer.ts";
export { createLocalHours, createLocalTime, daysBetween } from "./calendar.ts";
export { CONTRACT_VERSION } from "./contract-version.ts";
export type { Clock, Disposer } from "./clock.ts";
export type { ConnectAddress, ConnectOptions } from "./connect.ts";
export { quarantineErrors } from "./daemon-facts.ts";
export type {
  AuditFacts,
  DaemonFacts,
  DaemonPlugin,
  DaemonQuarantine,
  PairedDevice,
  PluginFacts,
  QuarantinedRecord,
} from "./daemon-facts.ts";
export { WORK_BEGAN } from "./daemon-view.ts";
export type {
  DaemonCheck,
  DaemonLogLine,
  DaemonOperation,
  DaemonProgram,
  DaemonView,
} from "./daemon-view.ts";
export { describeError } from "./describe-error.ts";
export {
  defineErrors,
  GantryError,
  inputErrors,
  isGantryError,
} from "./errors.ts";
export type {
  ErrorDefinition,
  ErrorExtras,
  ErrorFactory,
  ErrorTable,
  ErrorValue,
  ErrorValues,
} from "./errors.ts";
export { AnyEvent, defineEvent } from "./event.ts";
export type {
  EventDescription,
  EventRecord,
  EventToken,
  NewEvent,
} from "./event.ts";
export type { EventLog } from "./event-log.ts";
export type { Finding } from "./finding.ts";
export { definePluginCommands } from "./command.ts";
export type {
  CommandInput,
  CommandOption,
  PluginCommand,
  PluginCommands,
} from "./command.ts";
export type { HandlerDefinition, HandlerRequest } from "./handler.ts";
export { createIdentifier, isIdentifier } from "./identifier.ts";
export { isDeeperThan } from "./is-deeper-than.ts";
export { isLinkWithin } from "./link-within.ts";
export { createKeyedLock } from "./keyed-lock.ts";
export type { KeyedLock } from "./keyed-lock.ts";
export type { Log, LogFields } from "./log.ts";
export { NoticeRaised } from "./notice.ts";
export type { Notice } from "./notice.ts";
export { pageErrors, paginate, positionKey } from "./paginate.ts";
export type { PageRequest, PaginateOptions } from "./paginate.ts";
export { createPathGuard } from "./path-guard.ts";
export type { GuardedWork, PathGuard } from "./path-guard.ts";
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
export { defineRoute } from "./route.ts";
export type {
  AnswerOf,
  BodyFormat,
  BytesBody,
  Caller,
  IdentifierParameter,
  Method,
  PathParameters,
  RequestHead,
  ReturnsDefinition,
  RouteDefinition,
  RouteRequest,
} from "./route.ts";
export type { InputIssue, Schema, SchemaOutput } from "./schema.ts";
export { defineService } from "./service.ts";
export type { ServiceOf, ServiceToken } from "./service.ts";
export type { SocketDefinition, SocketPeer } from "./socket.ts";
export { keyPart, MACHINE_PREFIX } from "./store.ts";
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
  RehearsalOutcome,
  RehearsedPlugin,
  ReplacementResult,
  StoreEntry,
  StoreImage,
  StoreNamespace,
  WholeHome,
} from "./whole-home.ts";
