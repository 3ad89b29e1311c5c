export const PRACTICE_VERSION = "0.1.0";
