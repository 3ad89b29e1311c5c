import { expect, test } from "vitest";
import * as contract from "../src/index.ts";
import * as files from "../src/files.ts";
import * as processes from "../src/processes.ts";
import * as zod from "../src/zod.ts";

test("the package gives these names to plugins; one that leaves or changes its meaning breaks them", () => {
  expect(Object.keys(contract).sort()).toEqual([
    "AnyEvent",
    "CONTRACT_VERSION",
    "GantryError",
    "HomeReplaced",
    "MACHINE_PREFIX",
    "NoticeRaised",
    "WORK_BEGAN",
    "bytes",
    "createIdentifier",
    "createKeyedLock",
    "createLocalHours",
    "createLocalTime",
    "createPathGuard",
    "daysBetween",
    "defineErrors",
    "defineEvent",
    "definePlugin",
    "definePluginCommands",
    "defineRoute",
    "defineService",
    "describeError",
    "eventStream",
    "headersOf",
    "inputErrors",
    "isDeeperThan",
    "isGantryError",
    "isIdentifier",
    "isLinkWithin",
    "keyPart",
    "pageErrors",
    "paginate",
    "positionKey",
    "quarantineErrors",
    "toAddressKind",
    "toVisibleText",
    "withHeaders",
  ]);
  expect(Object.keys(files).sort()).toEqual([
    "cannotLink",
    "flush",
    "linkOrCopy",
    "placeFile",
    "removeLeftDrafts",
    "replaceFile",
  ]);
  expect(Object.keys(processes).sort()).toEqual([
    "findMarkedProcesses",
    "findSessionProcesses",
    "killMarkedProcesses",
    "killSessionProcesses",
    "readProcessMoment",
    "readProcessStat",
    "readProcessStatNow",
  ]);
  expect(Object.keys(zod).sort()).toEqual([
    "ANY_KEY",
    "dictionaryOf",
    "okAnswer",
    "pageOf",
    "pageQuery",
    "queryNumber",
    "storedFields",
    "timeZone",
    "timestamp",
  ]);
});
