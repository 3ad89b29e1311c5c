import { createConfig } from "@gantry/lint";

export default createConfig();
