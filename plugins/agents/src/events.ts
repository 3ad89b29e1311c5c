import {
  AgentChanged,
  AgentChecklistChanged,
  AgentCreated,
  AgentDeleted,
  DialogClosed,
  DialogOpened,
  TurnBlocked,
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
  TurnCharged,
  TurnFinished,
  TurnCutOff,
  TurnResumed,
  UnaskedTurnFinished,
  DialogOpened,
  DialogClosed,
  WorkspaceAdded,
];
