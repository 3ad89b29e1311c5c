import { defineErrors, pageErrors, quarantineErrors } from "@gantry/plugin";

/** Errors of the store. */
export const errors = defineErrors({
  ...pageErrors.definitions,
  ...quarantineErrors.definitions,
  RECORD_EXISTS: {
    status: 409,
    title: "Record exists",
    detail:
      "There is a record {id} already; choose another id, or change that one.",
  },
  RECORD_NOT_UNIQUE: {
    status: 409,
    title: "Not unique",
    detail: "Another record has the same {index}; choose another value.",
  },
  RECORD_TOO_NEW: {
    status: 503,
    title: "Record of a later version",
    detail:
      "The record {id} was written by a later version of Gantry and is left alone; start that version again.",
  },
  STALE_REVISION: {
    status: 412,
    title: "Changed meanwhile",
    detail:
      "The record is at revision {current}, not {expected}; read it again and repeat the change.",
  },
  STORAGE_FULL: {
    status: 507,
    title: "Storage full",
    detail:
      "The disk is full, so nothing was written; free some space and try again.",
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    title: "Storage unavailable",
    detail:
      "The data folder cannot be written, so nothing was changed; `gantry doctor` tells why.",
  },
  STORE_CONFLICT: {
    status: 409,
    title: "Already there",
    detail:
      "Something that must not be there yet was written before; read again.",
  },
});
