"use strict";
const { basename } = require("node:path");

exports.handler = async () => basename(__filename);
