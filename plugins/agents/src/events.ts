import {
  AgentChanged,
  AgentChecklistChanged,
  AgentCreated,
  AgentDeleted,
  DialogClosed,
  DialogOpened,
  TurnBlocked,
  TurnChangesChanged,
  TurnCharged,
  TurnCutOff,
  TurnFinished,
  TurnResumed,
  UnaskedTurnFinished,
  WorkspaceAdded,
} from "./contract.ts";

/** The events that the plugin emits. */
export const events = [
  AgentCreated,
  AgentChanged,
  AgentDeleted,
  AgentChecklistChanged,
  TurnBlocked,
  TurnChangesChanged,
  TurnCharged,
  TurnFinished,
  TurnCutOff,
  TurnResumed,
  UnaskedTurnFinished,
  DialogOpened,
  DialogClosed,
  WorkspaceAdded,
];
