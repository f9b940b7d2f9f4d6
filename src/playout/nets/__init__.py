"""Networks: files in other programs' formats, made into ONNX models that an evaluator runs."""
