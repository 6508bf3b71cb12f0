"use strict";

{
  const report = JSON.parse(document.getElementById("report").textContent);
  const model = readModel(report);
  showFigures(report, model, new Timeline(model));
  new LoadMap(model);
  new SendMatrix(report.figures);
  new DurationChart(report.figures);
  new CurveChart(model);
}
