"""How results, trees and scores are shown: text, HTML, SVG, and explanations in words."""
