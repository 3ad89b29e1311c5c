import {
  AgentChanged,
  AgentChecklistChanged,
  AgentCreated,
  AgentDeleted,
  DialogClosed,
  DialogOpened,
  TurnCharged,
  TurnCutOff,
  TurnFinished,
  TurnResumed,
  WorkspaceAdded,
} from "./contract.ts";

/** The events that the plugin emits. */
export const events = [
  AgentCreated,
  AgentChanged,
  AgentDeleted,
  AgentChecklistChanged,
  TurnCharged,
  TurnFinished,
  TurnCutOff,
  TurnResumed,
  DialogOpened,
  DialogClosed,
  WorkspaceAdded,
];
