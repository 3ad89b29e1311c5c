import type { ErrorDefinition } from "@gantry/plugin";

/** What staging, commits and pushes can refuse; a part of the plugin's table. */
export const shippingErrors = {
  GIT_NOTHING_STAGED: {
    status: 409,
    title: "Nothing is staged",
    detail:
      "Nothing is staged, so there is nothing to commit; stage files or hunks first, or commit all.",
  },
  GIT_CONFLICTED: {
    status: 409,
    title: "Files are in conflict",
    detail:
      "{files} in conflict; decide between both sides, take the marks out of the text, and stage them.",
  },
  GIT_BUSY: {
    status: 409,
    title: "Another git is running",
    detail:
      "Another git holds {lock}; try again in a moment. If none is running, one was ended before it was done: delete that file.",
  },
  GIT_HOOK_FAILED: {
    status: 409,
    title: "A hook refused it",
    detail:
      "A hook of the repository, or what it runs, refused the {what}. Nothing was lost: put right what it says, then try again.",
  },
  GIT_IDENTITY_MISSING: {
    status: 409,
    title: "git does not know who commits",
    detail:
      'git has no name and address to commit with; run git config --global user.name "…" and git config --global user.email "…" on the daemon\'s machine.',
  },
  GIT_SIGNING_FAILED: {
    status: 409,
    title: "The commit could not be signed",
    detail:
      "The commit could not be signed ({reason}); unlock the key on the daemon's machine, or do not let git run programs here.",
  },
  GIT_HUNK_CHANGED: {
    status: 409,
    title: "The change is another one now",
    detail:
      '"{path}" has changed since its changes were shown, so nothing was done; look at it again.',
  },
  GIT_DISCARD_IMPOSSIBLE: {
    status: 409,
    title: "The change cannot be discarded here",
    detail: '"{path}" cannot be discarded: {reason}.',
  },
  GIT_PROGRAMS_NEEDED: {
    status: 403,
    title: "git has to run programs for it",
    detail:
      "{reason}; that is only done if you let git run the programs of this repository.",
  },
  GIT_PROGRAMS_CHANGED: {
    status: 409,
    title: "git would run other programs now",
    detail:
      "What git would run in this repository has changed since it was shown; look at it again.",
  },
  GIT_PUSH_IMPOSSIBLE: {
    status: 409,
    title: "There is nothing to push, or nowhere",
    detail: "{reason}",
  },
  GIT_PUSH_REJECTED: {
    status: 409,
    title: "The remote did not take the push",
    detail:
      "{remote} did not take {branch}: {reason}. Nothing was overwritten.",
  },
  GIT_PUSH_DENIED: {
    status: 403,
    title: "The remote does not know you",
    detail:
      "{remote} did not let git in ({reason}); git asks nothing here, so log in on the daemon's machine (a key of ssh-agent, or a credential helper) and try again.",
  },
  GIT_REMOTE_UNREACHABLE: {
    status: 502,
    title: "The remote does not answer",
    detail: "{remote} cannot be reached: {reason}",
  },
  GIT_WRITE_FAILED: {
    status: 502,
    title: "git failed",
    detail: "git {command} failed: {reason}",
  },
  GIT_UNDO_IMPOSSIBLE: {
    status: 409,
    title: "The commit cannot be taken back",
    detail: "{reason}",
  },
} as const satisfies Record<string, ErrorDefinition>;
