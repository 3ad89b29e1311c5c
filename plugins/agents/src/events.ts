import {
  AgentChanged,
  AgentChecklistChanged,
  AgentCreated,
  AgentDeleted,
  DialogClosed,
  DialogOpened,
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
  TurnFinished,
  TurnCutOff,
  TurnResumed,
  DialogOpened,
  DialogClosed,
  WorkspaceAdded,
];
