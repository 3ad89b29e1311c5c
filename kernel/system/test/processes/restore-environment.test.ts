import { expect, test } from "vitest";
import { restoreEnvironment } from "@gantry/system/processes/restore-environment";

test("changes of the daemon's own start are taken back", () => {
  const environment: NodeJS.ProcessEnv = {
    ...{ PATH: "/own:/bin", HOME: "/h", NODE: "/node" },
    GANTRY_USER_ENVIRONMENT: JSON.stringify({
      ...{ PATH: "/bin", EDITOR: "vi", NODE: null },
    }),
  };
  restoreEnvironment(environment);
  expect(environment).toEqual({ PATH: "/bin", HOME: "/h", EDITOR: "vi" });
});

test.each([undefined, "", "no JSON", "null", "[1]", '"x"', '{"PATH":1}'])(
  "%j changes nothing",
  (text) => {
    const environment = {
      ...{ PATH: "/bin" },
      ...(text !== undefined && { GANTRY_USER_ENVIRONMENT: text }),
    };
    restoreEnvironment(environment);
    expect(environment).toEqual({ PATH: "/bin" });
  },
);
