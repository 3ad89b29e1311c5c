/** A field of an action. */
export interface ComposeField {
  id: "target" | "name" | "message";
  label: string;
  required: boolean;
  hint?: string;
}

/** Something to be done with git. */
export interface ComposeAction {
  id:
    | "commit"
    | "push"
    | "pull"
    | "branch"
    | "switch"
    | "merge"
    | "rebase"
    | "stash"
    | "tag"
    | "worktree";
  label: string;
  words: string;
  fields: readonly ComposeField[];
}

const message = (required: boolean): ComposeField => ({
  id: "message",
  label: "Message",
  required,
  hint: "What changed",
});
const from: ComposeField = {
  id: "target",
  label: "Starting at",
  required: false,
  hint: "What is checked out",
};

/** All of them, with the fields that each takes. */
export const composeActions: readonly ComposeAction[] = [
  {
    id: "commit",
    label: "Commit",
    words: "Keeps all changes, those in new files too.",
    fields: [message(true)],
  },
  {
    id: "push",
    label: "Push",
    words: "Sends the branch to the remote.",
    fields: [
      { id: "target", label: "Remote", required: false, hint: "As configured" },
      {
        id: "name",
        label: "Branch",
        required: false,
        hint: "The one checked out",
      },
    ],
  },
  {
    id: "pull",
    label: "Pull",
    words: "Takes over what the remote has, if nothing has to be merged.",
    fields: [
      { id: "target", label: "Remote", required: false, hint: "As configured" },
      { id: "name", label: "Branch", required: false, hint: "As configured" },
    ],
  },
  {
    id: "branch",
    label: "Branch",
    words: "Makes a branch and stays where it is.",
    fields: [
      { id: "name", label: "Name", required: true, hint: "feature/search" },
      from,
    ],
  },
  {
    id: "switch",
    label: "Switch",
    words: "Checks out a branch.",
    fields: [{ id: "target", label: "Branch", required: true }],
  },
  {
    id: "merge",
    label: "Merge",
    words: "Brings another branch into the one that is checked out.",
    fields: [{ id: "target", label: "Branch", required: true }, message(false)],
  },
  {
    id: "rebase",
    label: "Rebase",
    words: "Puts the commits of this branch on top of another.",
    fields: [{ id: "target", label: "Onto", required: true }],
  },
  {
    id: "stash",
    label: "Stash",
    words: "Puts all changes aside, those in new files too.",
    fields: [message(false)],
  },
  {
    id: "tag",
    label: "Tag",
    words: "Gives a commit a name that stays.",
    fields: [
      { id: "name", label: "Name", required: true, hint: "v1.0.0" },
      {
        id: "target",
        label: "Commit",
        required: false,
        hint: "What is checked out",
      },
      message(false),
    ],
  },
  {
    id: "worktree",
    label: "Worktree",
    words: "Makes a branch with a folder of its own, beside this one.",
    fields: [
      { id: "name", label: "Branch", required: true, hint: "feature/search" },
      from,
    ],
  },
];
